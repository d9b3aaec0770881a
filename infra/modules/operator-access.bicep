// What an operator needs for ccscale: configurations, controls, rejections, plans, and asking for a plan.

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
var tableDataContributor = '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
var queueMessageSender = 'c6a89b2d-59bc-44d0-9896-0f6e12d7b80a'
var serviceBusDataSender = '69a216fc-b8fb-44d8-bc22-1f3c2cd27a39'

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: storageName
}

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

resource usesBlobs 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, principalId, blobDataContributor)
  scope: account
  properties: {
    principalId: principalId
    principalType: principalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', blobDataContributor)
  }
}

resource usesTables 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, principalId, tableDataContributor)
  scope: account
  properties: {
    principalId: principalId
    principalType: principalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', tableDataContributor)
  }
}

resource sendsAgain 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(demand.id, principalId, queueMessageSender)
  scope: demand
  properties: {
    principalId: principalId
    principalType: principalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', queueMessageSender)
  }
}

resource asksForPlans 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(plans.id, principalId, serviceBusDataSender)
  scope: plans
  properties: {
    principalId: principalId
    principalType: principalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', serviceBusDataSender)
  }
}
