// The app on a Flex Consumption plan. Settings that this plan forbids or ignores are not here, and a test keeps it so.

@description('Azure region of the plan and the app. Flex Consumption must be offered there.')
param location string

@description('Tags of the plan and the app.')
param tags object

@description('Name of the plan.')
param planName string

@description('Name of the app, unique in Azure.')
param name string

@description('Node.js major version.')
@allowed(['22', '24'])
param nodeVersion string

@description('Memory of an instance in MB: what each size holds is in docs/performance.md.')
@allowed([512, 2048, 4096])
param instanceMemoryMB int

@description('Most instances of each function.')
@minValue(1)
@maxValue(1000)
param maximumInstanceCount int

@description('Instances that never sleep: [{ name: \'function:plan-scale\', instanceCount: 1 }], or \'http\' for all HTTP functions.')
param alwaysReady array

@description('Spread instances over the zones of the region.')
param zoneRedundant bool

@description('Resource id of the identity.')
param identityId string

@description('Client id of the identity.')
param identityClientId string

@description('Where the deployment package is kept.')
param deploymentContainerUrl string

@description('Blob service of the storage account.')
param blobEndpoint string

@description('Queue service of the storage account.')
param queueEndpoint string

@description('Table service of the storage account.')
param tableEndpoint string

@description('Host name of the Service Bus namespace.')
param serviceBusHost string

@description('Name of the Application Insights component.')
param componentName string

@description('NCRONTAB schedule of the snapshot timer, in UTC.')
param snapshotSchedule string

@description('NCRONTAB schedule of the timer that reads list prices, in UTC.')
param pricesSchedule string

@description('Address of the price list, or off.')
param priceListUrl string

@description('Where traces and metrics of the app go. Logs go to Application Insights in any case.')
@allowed(['azure', 'off'])
param telemetry string

@description('Address of the key vault, with a slash at its end.')
param vaultUri string

@description('App settings that hold passwords, and the secrets that they come from: [{ setting: \'CYCLECLOUD_PASSWORD\', secret: \'cyclecloud-password\' }].')
param passwordSecrets array

@description('How nodes that ask to stop show who they are: a function key, or the login of their cluster.')
@allowed(['function-key', 'basic'])
param autostopLogin string

@description('What of configurations may be changed through the HTTP API: nothing, everything but where the CycleCloud server is, or everything.')
@allowed(['off', 'settings', 'all'])
param configChanges string

@description('How callers of the HTTP API show who they are: a function key, or a token of Microsoft Entra ID.')
@allowed(['function-key', 'entra'])
param apiLogin string

@description('Tenant whose tokens count; with entra.')
param apiTenantId string

@description('Application (client) id of the app registration; with entra.')
param apiClientId string

@description('Further app settings: [{ name: \'...\', value: \'...\' }].')
param extraSettings array

@description('Subnet for outgoing connections, delegated to Microsoft.App/environments. Empty: none.')
param subnetId string

resource component 'Microsoft.Insights/components@2020-02-02' existing = {
  name: componentName
}

// References without a version follow a new secret within a day. A restart does not read them again; docs/hand-over.md has the call
// that does.
var passwordSettings = [
  for password in passwordSecrets: {
    name: password.setting
    value: '@Microsoft.KeyVault(SecretUri=${vaultUri}secrets/${password.secret})'
  }
]

// Clusters that an instance plans at a time, instead of the number in host.json: what its memory holds.
var sessionsOfMemory = {
  '512': '8'
  '2048': '32'
  '4096': '64'
}

var ownSettings = [
  {
    name: 'AUTOSCALE_MEMORY_MIB'
    value: string(instanceMemoryMB)
  }
  {
    name: 'AzureFunctionsJobHost__extensions__serviceBus__maxConcurrentSessions'
    value: sessionsOfMemory[string(instanceMemoryMB)]
  }
  {
    name: 'AzureWebJobsStorage__credential'
    value: 'managedidentity'
  }
  {
    name: 'AzureWebJobsStorage__clientId'
    value: identityClientId
  }
  {
    name: 'AzureWebJobsStorage__blobServiceUri'
    value: blobEndpoint
  }
  {
    name: 'AzureWebJobsStorage__queueServiceUri'
    value: queueEndpoint
  }
  {
    name: 'AzureWebJobsStorage__tableServiceUri'
    value: tableEndpoint
  }
  {
    name: 'AutoscaleStorage__credential'
    value: 'managedidentity'
  }
  {
    name: 'AutoscaleStorage__clientId'
    value: identityClientId
  }
  {
    name: 'AutoscaleStorage__blobServiceUri'
    value: blobEndpoint
  }
  {
    name: 'AutoscaleStorage__queueServiceUri'
    value: queueEndpoint
  }
  {
    name: 'AutoscaleStorage__tableServiceUri'
    value: tableEndpoint
  }
  {
    name: 'ServiceBusConnection__credential'
    value: 'managedidentity'
  }
  {
    name: 'ServiceBusConnection__clientId'
    value: identityClientId
  }
  {
    name: 'ServiceBusConnection__fullyQualifiedNamespace'
    value: serviceBusHost
  }
  {
    name: 'AZURE_CLIENT_ID'
    value: identityClientId
  }
  {
    name: 'SNAPSHOT_SCHEDULE'
    value: snapshotSchedule
  }
  {
    name: 'PRICES_SCHEDULE'
    value: pricesSchedule
  }
  {
    name: 'PRICE_LIST_URL'
    value: priceListUrl
  }
  {
    name: 'AUTOSTOP_LOGIN'
    value: autostopLogin
  }
  {
    name: 'AUTOSCALE_CONFIG_CHANGES'
    value: configChanges
  }
  {
    name: 'API_LOGIN'
    value: apiLogin
  }
  {
    name: 'AUTOSCALE_TELEMETRY'
    value: telemetry
  }
  {
    name: 'APPLICATIONINSIGHTS_CONNECTION_STRING'
    value: component.properties.ConnectionString
  }
  {
    name: 'APPLICATIONINSIGHTS_AUTHENTICATION_STRING'
    value: 'ClientId=${identityClientId};Authorization=AAD'
  }
]

// An app that is to ask for tokens and lacks one of these does not start.
var entraSettings = [
  {
    name: 'API_TENANT_ID'
    value: apiTenantId
  }
  {
    name: 'API_CLIENT_ID'
    value: apiClientId
  }
  {
    name: 'API_AUTHORITY'
    value: environment().authentication.loginEndpoint
  }
]

resource plan 'Microsoft.Web/serverfarms@2024-11-01' = {
  name: planName
  location: location
  tags: tags
  kind: 'functionapp'
  sku: {
    name: 'FC1'
    tier: 'FlexConsumption'
  }
  properties: {
    reserved: true
    zoneRedundant: zoneRedundant
  }
}

resource app 'Microsoft.Web/sites@2024-11-01' = {
  name: name
  location: location
  tags: tags
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identityId}': {}
    }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    keyVaultReferenceIdentity: identityId
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: deploymentContainerUrl
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identityId
          }
        }
      }
      runtime: {
        name: 'node'
        version: nodeVersion
      }
      scaleAndConcurrency: {
        instanceMemoryMB: instanceMemoryMB
        maximumInstanceCount: maximumInstanceCount
        alwaysReady: alwaysReady
      }
    }
    siteConfig: {
      minTlsVersion: '1.2'
      appSettings: concat(ownSettings, apiLogin == 'entra' ? entraSettings : [], passwordSettings, extraSettings)
    }
  }
}

output id string = app.id
output name string = app.name
output url string = 'https://${app.properties.defaultHostName}'
