// A storage account with its blob containers: one for data, and one for the deployment package. No keys work, and no blob is public.

@description('Azure region of the account.')
param location string

@description('Tags of the account.')
param tags object

@description('Name of the storage account, unique in Azure.')
@minLength(3)
@maxLength(24)
param name string

@description('Redundancy of the account.')
@allowed(['Standard_LRS', 'Standard_ZRS', 'Standard_GRS'])
param sku string

@description('Reachable through private endpoints only.')
param isPrivate bool

@description('What the workspace keeps of calls to blobs: nothing, writes and deletions, or reads too.')
@allowed(['off', 'changes', 'all'])
param audit string

@description('Log Analytics workspace for them.')
param workspaceId string

@description('Names of its blob containers.')
param containers array

var auditCategories = audit == 'all' ? ['StorageRead', 'StorageWrite', 'StorageDelete'] : ['StorageWrite', 'StorageDelete']

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: {
    name: sku
  }
  properties: {
    accessTier: 'Hot'
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
    supportsHttpsTrafficOnly: true
    networkAcls: {
      bypass: 'None'
      defaultAction: isPrivate ? 'Deny' : 'Allow'
    }
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2025-01-01' = {
  parent: account
  name: 'default'
  properties: {
    // A configuration that was overwritten or deleted by mistake can be brought back.
    deleteRetentionPolicy: {
      enabled: true
      days: 7
    }
  }
}

// Who changed a configuration, a package or a function key, and from where.
resource auditLog 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = if (audit != 'off') {
  name: 'audit'
  scope: blobs
  properties: {
    workspaceId: workspaceId
    logs: [
      for category in auditCategories: {
        category: category
        enabled: true
      }
    ]
  }
}

resource blobContainers 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-01-01' = [
  for container in containers: {
    parent: blobs
    name: container
    properties: {
      publicAccess: 'None'
    }
  }
]

output id string = account.id
output name string = account.name
output blobEndpoint string = account.properties.primaryEndpoints.blob
output queueEndpoint string = account.properties.primaryEndpoints.queue
output tableEndpoint string = account.properties.primaryEndpoints.table
