// The one storage account: demand queue, stores, deployment packages, and what the Functions host keeps for itself.

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

@description('Days after which an uploaded demand blob is deleted. Its message is read within minutes.')
@minValue(1)
@maxValue(365)
param uploadRetentionDays int

@description('Days after which an archived plan is deleted, should the planner not have done so (it does after 30), and the demand of a source that never posted again.')
@minValue(31)
@maxValue(3650)
param planRetentionDays int

// The same names as in the code; test/infra/bicep/names.test.ts compares them.
var containers = ['accounts', 'config', 'control', 'demand', 'demand-uploads', 'history', 'notifications', 'plans', 'prices', 'snapshots', 'targets']
var tables = ['ConfigVersions', 'Events', 'JobCosts', 'NodeHistory', 'NodeLosses', 'Operations', 'Plans', 'QuotaClaims', 'Rejections', 'Samples']
var queues = ['job-demand', 'job-demand-poison']
var deploymentContainer = 'deployments'
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

resource packages 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-01-01' = {
  parent: blobs
  name: deploymentContainer
  properties: {
    publicAccess: 'None'
  }
}

resource queueService 'Microsoft.Storage/storageAccounts/queueServices@2025-01-01' = {
  parent: account
  name: 'default'
}

resource storageQueues 'Microsoft.Storage/storageAccounts/queueServices/queues@2025-01-01' = [
  for queue in queues: {
    parent: queueService
    name: queue
  }
]

resource tableService 'Microsoft.Storage/storageAccounts/tableServices@2025-01-01' = {
  parent: account
  name: 'default'
}

resource storageTables 'Microsoft.Storage/storageAccounts/tableServices/tables@2025-01-01' = [
  for table in tables: {
    parent: tableService
    name: table
  }
]

resource lifecycle 'Microsoft.Storage/storageAccounts/managementPolicies@2025-01-01' = {
  parent: account
  name: 'default'
  properties: {
    policy: {
      rules: [
        {
          name: 'delete-demand-uploads'
          enabled: true
          type: 'Lifecycle'
          definition: {
            actions: {
              baseBlob: {
                delete: {
                  daysAfterModificationGreaterThan: uploadRetentionDays
                }
              }
            }
            filters: {
              blobTypes: ['blockBlob']
              prefixMatch: ['demand-uploads/']
            }
          }
        }
        {
          // A source that has been silent for so long counts as silent without its blob too.
          name: 'delete-silent-demand'
          enabled: true
          type: 'Lifecycle'
          definition: {
            actions: {
              baseBlob: {
                delete: {
                  daysAfterModificationGreaterThan: planRetentionDays
                }
              }
            }
            filters: {
              blobTypes: ['blockBlob']
              prefixMatch: ['demand/']
            }
          }
        }
        {
          // Heads are rewritten by every plan; a cluster without a plan for so long is not used any more.
          name: 'delete-old-plans'
          enabled: true
          type: 'Lifecycle'
          definition: {
            actions: {
              baseBlob: {
                delete: {
                  daysAfterModificationGreaterThan: planRetentionDays
                }
              }
            }
            filters: {
              blobTypes: ['blockBlob']
              prefixMatch: ['plans/']
            }
          }
        }
      ]
    }
  }
  dependsOn: [blobContainers]
}

output id string = account.id
output name string = account.name
output blobEndpoint string = account.properties.primaryEndpoints.blob
output queueEndpoint string = account.properties.primaryEndpoints.queue
output tableEndpoint string = account.properties.primaryEndpoints.table
output deploymentContainerUrl string = '${account.properties.primaryEndpoints.blob}${deploymentContainer}'
