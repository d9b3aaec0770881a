// What one scheduler's host may do: post demand, upload large demand, and read the events of its own source. Nothing else.

@description('Name of the storage account.')
param storageName string

@description('Name of the source, as in its demand messages: lower-case letters, digits, single dashes.')
@minLength(1)
@maxLength(50)
param source string

@description('Object id of the identity of the scheduler\'s host.')
param principalId string

@description('Kind of that identity.')
@allowed(['ServicePrincipal', 'User', 'Group'])
param principalType string

var queueMessageSender = 'c6a89b2d-59bc-44d0-9896-0f6e12d7b80a'
var queueMessageProcessor = '8a0f0c08-91a1-4084-bc3d-661d67233fed'
var blobDataContributor = 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: storageName
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2025-01-01' existing = {
  parent: account
  name: 'default'
}

resource uploads 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-01-01' existing = {
  parent: blobs
  name: 'demand-uploads'
}

resource queueService 'Microsoft.Storage/storageAccounts/queueServices@2025-01-01' existing = {
  parent: account
  name: 'default'
}

resource demand 'Microsoft.Storage/storageAccounts/queueServices/queues@2025-01-01' existing = {
  parent: queueService
  name: 'job-demand'
}

// Made here, so that the right below has something to hold on to before the source first reports.
resource events 'Microsoft.Storage/storageAccounts/queueServices/queues@2025-01-01' = {
  parent: queueService
  name: 'events-${source}'
}

// Why: posts demand.
resource postsDemand 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(demand.id, principalId, queueMessageSender)
  scope: demand
  properties: {
    principalId: principalId
    principalType: principalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', queueMessageSender)
  }
}

// Why: reads its own events and no others.
resource readsEvents 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(events.id, principalId, queueMessageProcessor)
  scope: events
  properties: {
    principalId: principalId
    principalType: principalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', queueMessageProcessor)
  }
}

// Why: demand too large for messages; reads and overwrites those of other schedulers too.
resource uploadsDemand 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(uploads.id, principalId, blobDataContributor)
  scope: uploads
  properties: {
    principalId: principalId
    principalType: principalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', blobDataContributor)
  }
}

output eventsQueue string = events.name
