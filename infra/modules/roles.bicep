// What the function app may do, each right at the smallest scope that works. The lines with Why are in the table of docs/deploy-settings.md, which
// test/infra/bicep/rights.test.ts writes.

@description('Object id of the function app\'s identity.')
param principalId string

@description('Name of the storage account.')
param storageName string

@description('Name of the storage account that holds the deployment package.')
param packageStorageName string

@description('Name of the Service Bus namespace.')
param serviceBusName string

@description('Queue of plan requests.')
param planRequestsQueue string

@description('Queue of scale actions.')
param scaleActionsQueue string

@description('Name of the Application Insights component.')
param componentName string

// The host's own containers (locks, keys, timers) need Owner; the app's stores are in the same account.
var blobDataOwner = 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
var blobDataReader = '2a2b9908-6ea1-4ae2-8e65-a410df84e7d1'
// Makes queues of schedulers, and poison queues, when they are missing: Contributor of the account, not of one queue.
var queueDataContributor = '974c5e8b-45b9-4653-ba55-5f855dd0fb88'
var tableDataContributor = '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
// Send, receive, and read the length of the queue, by which the platform starts instances. Of two queues, not of the namespace.
var serviceBusDataOwner = '090c5cfd-751d-490a-894a-3ce6f1109419'
var metricsPublisher = '3913510d-42f4-4e42-8a64-420c390055eb'

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: storageName
}

resource packageAccount 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: packageStorageName
}

resource packageBlobs 'Microsoft.Storage/storageAccounts/blobServices@2025-01-01' existing = {
  parent: packageAccount
  name: 'default'
}

resource package 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-01-01' existing = {
  parent: packageBlobs
  name: 'deployments'
}

resource namespace 'Microsoft.ServiceBus/namespaces@2024-01-01' existing = {
  name: serviceBusName
}

resource plans 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' existing = {
  parent: namespace
  name: planRequestsQueue
}

resource actions 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' existing = {
  parent: namespace
  name: scaleActionsQueue
}

resource component 'Microsoft.Insights/components@2020-02-02' existing = {
  name: componentName
}

// Why: the host's locks, timers and keys need Owner; the app's stores are in the same account.
resource ownsBlobs 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, principalId, blobDataOwner)
  scope: account
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', blobDataOwner)
  }
}

// Why: the platform starts the app's package as the app; a deployment gives the right to write it, and takes it away again.
resource readsPackage 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(package.id, principalId, blobDataReader)
  scope: package
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', blobDataReader)
  }
}

// Why: takes demand, writes poison queues, makes and fills events-<source>.
resource usesQueues 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, principalId, queueDataContributor)
  scope: account
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', queueDataContributor)
  }
}

// Why: the app's stores.
resource usesTables 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, principalId, tableDataContributor)
  scope: account
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', tableDataContributor)
  }
}

// Why: sends and receives; the platform reads its length to start instances.
resource usesPlanRequests 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(plans.id, principalId, serviceBusDataOwner)
  scope: plans
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', serviceBusDataOwner)
  }
}

// Why: sends and receives; the platform reads its length to start instances.
resource usesScaleActions 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(actions.id, principalId, serviceBusDataOwner)
  scope: actions
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', serviceBusDataOwner)
  }
}

// Why: logs, traces and metrics.
resource publishesMetrics 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(component.id, principalId, metricsPublisher)
  scope: component
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', metricsPublisher)
  }
}
