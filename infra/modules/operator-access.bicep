// What an operator needs for `ccscale --storage`: to look at everything that the app keeps, and to change what people change. Nothing
// reaches the containers of the app's packages and of the host's keys, which are in the same account.

@description('Name of the storage account.')
param storageName string

@description('Name of the Service Bus namespace.')
param serviceBusName string

@description('Queue of plan requests.')
param planRequestsQueue string

@description('Object id of the operator or of a group of operators.')
param principalId string

@description('Kind of that identity.')
@allowed(['ServicePrincipal', 'User', 'Group'])
param principalType string

var blobDataContributor = 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
var blobDataReader = '2a2b9908-6ea1-4ae2-8e65-a410df84e7d1'
var tableDataContributor = '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
var tableDataReader = '76199698-9eea-4c19-bc75-cec21354c6b6'
var queueMessageSender = 'c6a89b2d-59bc-44d0-9896-0f6e12d7b80a'
var serviceBusDataSender = '69a216fc-b8fb-44d8-bc22-1f3c2cd27a39'

// All containers and tables of storage.bicep; test/infra/bicep/names.test.ts compares them.
var changedContainers = ['config', 'control', 'demand', 'demand-uploads', 'targets']
var shownContainers = ['accounts', 'history', 'notifications', 'plans', 'prices', 'snapshots']
var changedTables = ['ConfigVersions', 'Rejections']
var shownTables = ['Events', 'JobCosts', 'NodeHistory', 'NodeLosses', 'Operations', 'Plans', 'QuotaClaims', 'Samples']

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: storageName
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2025-01-01' existing = {
  parent: account
  name: 'default'
}

resource changed 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-01-01' existing = [
  for container in changedContainers: {
    parent: blobs
    name: container
  }
]

resource shown 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-01-01' existing = [
  for container in shownContainers: {
    parent: blobs
    name: container
  }
]

resource tableService 'Microsoft.Storage/storageAccounts/tableServices@2025-01-01' existing = {
  parent: account
  name: 'default'
}

resource rejections 'Microsoft.Storage/storageAccounts/tableServices/tables@2025-01-01' existing = [
  for table in changedTables: {
    parent: tableService
    name: table
  }
]

resource tables 'Microsoft.Storage/storageAccounts/tableServices/tables@2025-01-01' existing = [
  for table in shownTables: {
    parent: tableService
    name: table
  }
]

resource queueService 'Microsoft.Storage/storageAccounts/queueServices@2025-01-01' existing = {
  parent: account
  name: 'default'
}

resource demand 'Microsoft.Storage/storageAccounts/queueServices/queues@2025-01-01' existing = {
  parent: queueService
  name: 'job-demand'
}

resource namespace 'Microsoft.ServiceBus/namespaces@2024-01-01' existing = {
  name: serviceBusName
}

resource plans 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' existing = {
  parent: namespace
  name: planRequestsQueue
}

// Why: config push, pause and resume, push, rejects replay with --storage; whoever writes config decides where the app sends passwords to.
resource changes 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (container, index) in changedContainers: {
    name: guid(account.id, container, principalId, blobDataContributor)
    scope: changed[index]
    properties: {
      principalId: principalId
      principalType: principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', blobDataContributor)
    }
  }
]

// Why: views with --storage: accounts name users and what they cost, notifications what was reported to whom.
resource readsBlobs 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (container, index) in shownContainers: {
    name: guid(account.id, container, principalId, blobDataReader)
    scope: shown[index]
    properties: {
      principalId: principalId
      principalType: principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', blobDataReader)
    }
  }
]

// Why: config push keeps a version; rejects replay notes who sent a message again.
resource changesTables 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (table, index) in changedTables: {
    name: guid(account.id, table, principalId, tableDataContributor)
    scope: rejections[index]
    properties: {
      principalId: principalId
      principalType: principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', tableDataContributor)
    }
  }
]

// Why: views with --storage.
resource readsTables 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (table, index) in shownTables: {
    name: guid(account.id, table, principalId, tableDataReader)
    scope: tables[index]
    properties: {
      principalId: principalId
      principalType: principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', tableDataReader)
    }
  }
]

// Why: push and rejects replay with --storage.
resource sendsAgain 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(demand.id, principalId, queueMessageSender)
  scope: demand
  properties: {
    principalId: principalId
    principalType: principalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', queueMessageSender)
  }
}

// Why: resume and rejects replay with --storage.
resource asksForPlans 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(plans.id, principalId, serviceBusDataSender)
  scope: plans
  properties: {
    principalId: principalId
    principalType: principalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', serviceBusDataSender)
  }
}
