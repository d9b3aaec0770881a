// The two session queues. One session per cluster makes one planner and one executor at a time.

@description('Azure region of the namespace.')
param location string

@description('Tags of the namespace.')
param tags object

@description('Name of the Service Bus namespace, unique in Azure.')
@minLength(6)
@maxLength(50)
param name string

@description('Reachable through private endpoints only, which needs the Premium tier.')
param isPrivate bool

// The emulator's Config.json says the same of each queue; test/infra/bicep/names.test.ts compares them.
var planRequests = {
  requiresSession: true
  requiresDuplicateDetection: true
  duplicateDetectionHistoryTimeWindow: 'PT1M'
  lockDuration: 'PT1M'
  maxDeliveryCount: 5
  deadLetteringOnMessageExpiration: false
}
var scaleActions = {
  requiresSession: true
  requiresDuplicateDetection: true
  duplicateDetectionHistoryTimeWindow: 'PT5M'
  lockDuration: 'PT1M'
  maxDeliveryCount: 10
  deadLetteringOnMessageExpiration: true
}

// Sessions and duplicate detection begin with Standard, private endpoints with Premium.
var standard = {
  name: 'Standard'
  tier: 'Standard'
}
var premium = {
  name: 'Premium'
  tier: 'Premium'
  capacity: 1
}

resource namespace 'Microsoft.ServiceBus/namespaces@2024-01-01' = {
  name: name
  location: location
  tags: tags
  sku: isPrivate ? premium : standard
  properties: {
    disableLocalAuth: true
    minimumTlsVersion: '1.2'
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
  }
}

resource planRequestsQueue 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' = {
  parent: namespace
  name: 'plan-requests'
  properties: planRequests
}

resource scaleActionsQueue 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' = {
  parent: namespace
  name: 'scale-actions'
  properties: scaleActions
}

output id string = namespace.id
output name string = namespace.name
output planRequestsQueue string = planRequestsQueue.name
output scaleActionsQueue string = scaleActionsQueue.name
// Of the endpoint https://<host>:443/ only the host; other clouds have other hosts.
output fullyQualifiedNamespace string = split(replace(namespace.properties.serviceBusEndpoint, 'https://', ''), ':')[0]
