// Queues and tables of the account for data, and how long its blobs are kept.

@description('Name of the storage account.')
param storageName string

@description('Days after which an uploaded demand blob is deleted. Its message is read within minutes.')
@minValue(1)
@maxValue(365)
param uploadRetentionDays int

@description('Days after which an archived plan is deleted, should the planner not have done so (it does after 30), and the demand of a source that never posted again.')
@minValue(31)
@maxValue(3650)
param planRetentionDays int

// The same names as in the code; test/infra/bicep/names.test.ts compares them.
var tables = ['ConfigVersions', 'Events', 'JobCosts', 'NodeHistory', 'NodeLosses', 'Operations', 'Plans', 'QuotaClaims', 'Rejections', 'Samples']
var queues = ['job-demand', 'job-demand-poison']

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: storageName
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
}

// Who takes it from here comes after the queues and tables.
output name string = account.name
