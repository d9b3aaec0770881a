// An autoscaler for CycleCloud clusters, in one resource group: az deployment group create, or azd provision.
// Plain resources in plain language, so that every tool can read them. docs/deploy-settings.md explains what is created and why.

targetScope = 'resourceGroup'

@description('Short name of this deployment, part of every resource name.')
@minLength(1)
@maxLength(64)
param environmentName string

@description('Azure region. Flex Consumption must be offered there: az functionapp list-flexconsumption-locations.')
@minLength(1)
@metadata({ azd: { type: 'location' } })
param location string = resourceGroup().location

@description('Tags of all resources, beside azd-env-name.')
param tags object = {}

@description('Node.js major version of the app.')
@allowed(['22', '24'])
param nodeVersion string = '24'

@description('Memory of an instance in MB; the bill grows with it.')
@allowed([512, 2048, 4096])
param instanceMemoryMB int = 512

@description('Most instances of each function at a time.')
@minValue(1)
@maxValue(1000)
param maximumInstanceCount int = 40

@description('Instances that never sleep, for a quicker first plan: [{ name: \'function:plan-scale\', instanceCount: 1 }]. Each is billed all month.')
param alwaysReady array = []

@description('Spread the app over the zones of the region, and keep data in all of them. Where it can be: az functionapp list-flexconsumption-locations --zone-redundant=true. Azure then keeps two instances of each function awake and bills them. Choose before the first deployment: storage cannot be moved to other zones by deploying again.')
param zoneRedundant bool = false

@description('When clusters are read: NCRONTAB with seconds, in UTC. Every minute by default; less often is cheaper and slower.')
param snapshotSchedule string = '0 * * * * *'

@description('When list prices are looked at: NCRONTAB with seconds, in UTC. A list is read again when it is a day old, or when a cluster uses a new VM size.')
param pricesSchedule string = '0 23 * * * *'

@description('Address of the public price list. The app calls it without a login. off: no list is read, and the prices that are shipped count.')
param priceListUrl string = 'https://prices.azure.com/api/retail/prices'

@description('App settings that hold CycleCloud passwords and the vault secrets that they come from. A cluster names its setting as password_setting.')
@minLength(1)
param passwordSecrets array = [
  {
    setting: 'CYCLECLOUD_PASSWORD'
    secret: 'cyclecloud-password'
  }
]

@description('Password of the CycleCloud user, written as the first secret of passwordSecrets. Empty: the secret is left as it is.')
@secure()
param cycleCloudPassword string = ''

@description('Resource id of a key vault (role-based access) to use instead of a new one. Its secrets are then yours to write.')
param existingKeyVaultId string = ''

@description('Who may write secrets of the vault, that is, rotate passwords: [{ principalId: \'<object id>\', principalType: \'Group\' }].')
param passwordRotators array = []

@description('Protect the vault from being purged before its retention ends. Cannot be switched off again, and keeps the name of a deleted vault taken for seven days.')
param purgeProtection bool = false

@description('How nodes that ask to stop show who they are: a function key, or the login of their cluster as with CycleCloud.')
@allowed(['function-key', 'basic'])
param autostopLogin string = 'function-key'

@description('What of configurations may be changed through the HTTP API: nothing, everything but where the CycleCloud server is (which says where the password goes), or everything.')
@allowed(['off', 'settings', 'all'])
param configChanges string = 'settings'

@description('How callers of the HTTP API show who they are: a function key, or a token of Microsoft Entra ID. For entra see "Sign in with Entra" in docs/deploy-settings.md.')
@allowed(['function-key', 'entra'])
param apiLogin string = 'function-key'

@description('Application (client) id of the app registration of the API. Needed with entra.')
param apiClientId string = ''

@description('Tenant of that app registration.')
param apiTenantId string = tenant().tenantId

@description('Further app settings: [{ name: \'...\', value: \'...\' }].')
param extraSettings array = []

@description('Schedulers\' hosts that may post demand: [{ source: \'slurm\', principalId: \'<object id>\', principalType: \'ServicePrincipal\' }].')
param schedulers array = []

@description('Who may use ccscale: [{ principalId: \'<object id>\', principalType: \'Group\' }].')
param operators array = []

@description('What the workspace keeps of calls to blobs (configurations, packages, function keys): nothing, writes and deletions, or reads too.')
@allowed(['off', 'changes', 'all'])
param storageAudit string = 'changes'

@description('Redundancy of the storage accounts. With zoneRedundant, Standard_LRS means Standard_ZRS.')
@allowed(['Standard_LRS', 'Standard_ZRS', 'Standard_GRS'])
param storageSku string = 'Standard_LRS'

@description('Days after which an uploaded demand blob is deleted.')
@minValue(1)
@maxValue(365)
param uploadRetentionDays int = 1

@description('Days after which an archived plan is deleted.')
@minValue(31)
@maxValue(3650)
param planRetentionDays int = 90

@description('Make an Event Grid topic for CycleCloud\'s events. Without it clusters are read by the timer only.')
param eventGrid bool = true

@description('Object id of the identity that the CycleCloud server publishes events as. Gets the right to use the topic. Empty: give it yourself.')
param cycleCloudPrincipalId string = ''

@description('Existing subnet for the app, delegated to Microsoft.App/environments, in the same region. With it no network is made. Empty: none, or the new network\'s.')
param functionsSubnetId string = ''

@description('Existing subnet for private endpoints, in the network of functionsSubnetId or one peered with it. Needed with functionsSubnetId and privateEndpoints.')
param endpointsSubnetId string = ''

@description('Make a virtual network for the app. cycleCloudNetworkId and privateEndpoints make it too.')
param createNetwork bool = false

@description('Address space of the new network, a /24 or larger.')
param networkAddressPrefix string = '10.90.0.0/24'

@description('Network of the CycleCloud server: a new network is made and peered with it. Empty: none.')
param cycleCloudNetworkId string = ''

@description('Name servers of the new network, such as those that know the CycleCloud server\'s name. Empty: Azure\'s own.')
param dnsServers array = []

@description('Resource ids of private DNS zones to link the new network with, such as the one that holds the CycleCloud server\'s name.')
param privateDnsZoneIds array = []

@description('Resource id of a NAT gateway for the app\'s subnet in the new network: a fixed address for outgoing calls. Empty: none.')
param natGatewayId string = ''

@description('Resource id of a route table for the app\'s subnet in the new network, as forced tunnelling needs. Empty: none.')
param routeTableId string = ''

@description('Port of the CycleCloud server: 443 as the marketplace image sets it up, 8443 by default elsewhere.')
@minValue(1)
@maxValue(65535)
param cycleCloudPort int = 443

@description('Reach storage and Service Bus by private endpoints only. Makes Service Bus Premium, which is dear. Choose before the first deployment: a Standard namespace cannot become a Premium one.')
param privateEndpoints bool = false

@description('Traces and metrics of the app, beside its logs: azure or off.')
@allowed(['azure', 'off'])
param telemetry string = 'azure'

@description('Days that logs are kept.')
@minValue(30)
@maxValue(730)
param logRetentionDays int = 30

@description('Gigabytes of logs a day after which no more are taken. -1: no limit.')
@minValue(-1)
@maxValue(1000)
param dailyLogCapGb int = 1

@description('Who gets mails of alerts. Empty: no alerts, and none to pay for.')
param alertEmails array = []

@description('Minutes that a plan may wait before there is an alert.')
@minValue(5)
@maxValue(120)
param planOverdueMinutes int = 10

@description('Refused messages an hour before there is an alert.')
@minValue(1)
@maxValue(100000)
param rejectsPerHour int = 20

@description('Monthly cost of this resource group that alertEmails are told of, in the currency of the billing account. 0: none.')
@minValue(0)
param monthlyBudget int = 0

@description('First day of the budget\'s first month. A later deployment may have to repeat the first one\'s.')
param budgetStartDate string = utcNow('yyyy-MM-01')

var token = toLower(uniqueString(subscription().id, resourceGroup().id, environmentName))
var allTags = union(tags, {
  'azd-env-name': environmentName
})
// Of the modules' deployments: another autoscaler may deploy into the same groups at the same moment.
var run = uniqueString(token, deployment().name)
var ownsNetwork = empty(functionsSubnetId) && (createNetwork || privateEndpoints || !empty(cycleCloudNetworkId))
var ownsVault = empty(existingKeyVaultId)
var functionAppName = 'func-autoscale-${token}'
var redundancy = zoneRedundant && storageSku == 'Standard_LRS' ? 'Standard_ZRS' : storageSku
// The same names as in the code; test/infra/bicep/names.test.ts compares them.
var containers = ['accounts', 'config', 'control', 'demand', 'demand-uploads', 'history', 'notifications', 'plans', 'prices', 'snapshots', 'targets']

module identity 'modules/identity.bicep' = {
  name: 'identity-${run}'
  params: {
    location: location
    tags: allTags
    name: 'id-autoscale-${token}'
  }
}

module data 'modules/account.bicep' = {
  name: 'data-${run}'
  params: {
    location: location
    tags: allTags
    name: 'st${token}'
    sku: redundancy
    isPrivate: privateEndpoints
    audit: storageAudit
    workspaceId: monitoring.outputs.workspaceId
    containers: containers
  }
}

module storage 'modules/storage.bicep' = {
  name: 'storage-${run}'
  params: {
    storageName: data.outputs.name
    uploadRetentionDays: uploadRetentionDays
    planRetentionDays: planRetentionDays
  }
}

// An account of its own: the app reads its package, and what it writes cannot become its code.
module packages 'modules/account.bicep' = {
  name: 'packages-${run}'
  params: {
    location: location
    tags: allTags
    name: 'stpkg${token}'
    sku: redundancy
    isPrivate: privateEndpoints
    audit: storageAudit
    workspaceId: monitoring.outputs.workspaceId
    containers: ['deployments']
  }
}

module serviceBus 'modules/service-bus.bicep' = {
  name: 'service-bus-${run}'
  params: {
    location: location
    tags: allTags
    name: 'sb-autoscale-${token}'
    isPrivate: privateEndpoints
  }
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring-${run}'
  params: {
    location: location
    tags: allTags
    workspaceName: 'log-autoscale-${token}'
    componentName: 'appi-autoscale-${token}'
    retentionDays: logRetentionDays
    dailyCapGb: dailyLogCapGb
  }
}

module keyVault 'modules/key-vault.bicep' = if (ownsVault) {
  name: 'key-vault-${run}'
  params: {
    location: location
    tags: allTags
    name: 'kv-${token}'
    workspaceId: monitoring.outputs.workspaceId
    purgeProtection: purgeProtection
    passwordSecret: passwordSecrets[0].secret
    cycleCloudPassword: cycleCloudPassword
  }
}

module keyVaultAccess 'modules/key-vault-access.bicep' = {
  name: 'key-vault-access-${run}'
  scope: resourceGroup(
    ownsVault ? subscription().subscriptionId : split(existingKeyVaultId, '/')[2],
    ownsVault ? resourceGroup().name : split(existingKeyVaultId, '/')[4]
  )
  params: {
    vaultName: ownsVault ? 'kv-${token}' : last(split(existingKeyVaultId, '/'))
    principalId: identity.outputs.principalId
    rotators: passwordRotators
  }
  dependsOn: [keyVault]
}

module roles 'modules/roles.bicep' = {
  name: 'roles-${run}'
  params: {
    principalId: identity.outputs.principalId
    storageName: data.outputs.name
    packageStorageName: packages.outputs.name
    serviceBusName: serviceBus.outputs.name
    planRequestsQueue: serviceBus.outputs.planRequestsQueue
    scaleActionsQueue: serviceBus.outputs.scaleActionsQueue
    componentName: monitoring.outputs.componentName
  }
}

module network 'modules/network.bicep' = if (ownsNetwork) {
  name: 'network-${run}'
  params: {
    location: location
    tags: allTags
    name: 'vnet-autoscale-${token}'
    securityGroupName: 'nsg-autoscale-${token}'
    addressPrefix: networkAddressPrefix
    cycleCloudPort: cycleCloudPort
    dnsServers: dnsServers
    natGatewayId: natGatewayId
    routeTableId: routeTableId
    peerNetworkId: cycleCloudNetworkId
  }
}

module peering 'modules/peering.bicep' = if (ownsNetwork && !empty(cycleCloudNetworkId)) {
  name: 'peering-${run}'
  scope: resourceGroup(
    empty(cycleCloudNetworkId) ? subscription().subscriptionId : split(cycleCloudNetworkId, '/')[2],
    empty(cycleCloudNetworkId) ? resourceGroup().name : split(cycleCloudNetworkId, '/')[4]
  )
  params: {
    serverNetworkName: empty(cycleCloudNetworkId) ? 'none' : last(split(cycleCloudNetworkId, '/'))
    autoscalerNetworkId: ownsNetwork ? network.outputs.id : ''
  }
}

module nameLinks 'modules/private-dns-link.bicep' = [
  for (zone, index) in privateDnsZoneIds: if (ownsNetwork) {
    name: 'private-dns-link-${index}-${run}'
    scope: resourceGroup(split(zone, '/')[2], split(zone, '/')[4])
    params: {
      zoneName: last(split(zone, '/'))
      networkId: ownsNetwork ? network.outputs.id : ''
      tags: allTags
    }
  }
]

module endpoints 'modules/private-endpoints.bicep' = if (privateEndpoints) {
  name: 'private-endpoints-${run}'
  params: {
    location: location
    tags: allTags
    namePrefix: 'pep-autoscale-${token}'
    networkId: ownsNetwork ? network.outputs.id : split(endpointsSubnetId, '/subnets/')[0]
    endpointsSubnetId: ownsNetwork ? network.outputs.endpointsSubnetId : endpointsSubnetId
    storageId: data.outputs.id
    packageStorageId: packages.outputs.id
    serviceBusId: serviceBus.outputs.id
  }
}

// The rights and the endpoints come first: an app that cannot read its package does not start.
module functionApp 'modules/function-app.bicep' = {
  name: 'function-app-${run}'
  params: {
    location: location
    tags: allTags
    planName: 'plan-autoscale-${token}'
    name: functionAppName
    nodeVersion: nodeVersion
    instanceMemoryMB: instanceMemoryMB
    maximumInstanceCount: maximumInstanceCount
    alwaysReady: alwaysReady
    zoneRedundant: zoneRedundant
    identityId: identity.outputs.id
    identityClientId: identity.outputs.clientId
    deploymentContainerUrl: '${packages.outputs.blobEndpoint}deployments'
    blobEndpoint: data.outputs.blobEndpoint
    queueEndpoint: data.outputs.queueEndpoint
    tableEndpoint: data.outputs.tableEndpoint
    serviceBusHost: serviceBus.outputs.fullyQualifiedNamespace
    componentName: monitoring.outputs.componentName
    snapshotSchedule: snapshotSchedule
    pricesSchedule: pricesSchedule
    priceListUrl: priceListUrl
    vaultUri: keyVaultAccess.outputs.uri
    passwordSecrets: passwordSecrets
    autostopLogin: autostopLogin
    configChanges: configChanges
    apiLogin: apiLogin
    apiTenantId: apiTenantId
    apiClientId: apiClientId
    telemetry: telemetry
    extraSettings: extraSettings
    subnetId: !empty(functionsSubnetId) ? functionsSubnetId : (ownsNetwork ? network.outputs.functionsSubnetId : '')
  }
  dependsOn: [roles, endpoints, storage]
}

module eventTopic 'modules/event-grid.bicep' = if (eventGrid) {
  name: 'event-grid-${run}'
  params: {
    location: location
    tags: allTags
    name: 'evgt-autoscale-${token}'
    publisherId: cycleCloudPrincipalId
  }
}

module schedulerAccess 'modules/scheduler-access.bicep' = [
  for (scheduler, index) in schedulers: {
    name: 'scheduler-access-${index}-${run}'
    params: {
      storageName: storage.outputs.name
      source: scheduler.source
      principalId: scheduler.principalId
      principalType: scheduler.principalType
    }
  }
]

module operatorAccess 'modules/operator-access.bicep' = [
  for (operator, index) in operators: {
    name: 'operator-access-${index}-${run}'
    params: {
      storageName: storage.outputs.name
      serviceBusName: serviceBus.outputs.name
      planRequestsQueue: serviceBus.outputs.planRequestsQueue
      principalId: operator.principalId
      principalType: operator.principalType
    }
  }
]

module alerts 'modules/alerts.bicep' = if (!empty(alertEmails)) {
  name: 'alerts-${run}'
  params: {
    location: location
    tags: allTags
    namePrefix: 'alert-${token}'
    workspaceId: monitoring.outputs.workspaceId
    functionAppName: functionAppName
    emails: alertEmails
    planOverdueMinutes: planOverdueMinutes
    rejectsPerHour: rejectsPerHour
  }
}

module budget 'modules/budget.bicep' = if (monthlyBudget > 0 && !empty(alertEmails)) {
  name: 'budget-${run}'
  params: {
    name: 'budget-autoscale-${token}'
    amount: monthlyBudget > 0 ? monthlyBudget : 1
    startDate: budgetStartDate
    emails: alertEmails
  }
}

module workbook 'modules/workbook.bicep' = {
  name: 'workbook-${run}'
  params: {
    location: location
    tags: allTags
    title: 'Autoscaler ${environmentName}'
    componentId: monitoring.outputs.componentId
  }
}

output AUTOSCALE_FUNCTION_APP string = functionApp.outputs.name
output AUTOSCALE_FUNCTIONS_URL string = functionApp.outputs.url
output CCSCALE_AUDIENCE string = apiLogin == 'entra' ? 'api://${apiClientId}' : ''
output AUTOSCALE_STORAGE_ACCOUNT string = data.outputs.name
output AUTOSCALE_PACKAGES_URL string = packages.outputs.blobEndpoint
output AUTOSCALE_KEY_VAULT_URI string = keyVaultAccess.outputs.uri
output AUTOSCALE_EVENT_GRID_TOPIC string = eventGrid ? eventTopic.outputs.name : ''
// Named as the settings that ccscale reads.
output AutoscaleStorage__blobServiceUri string = data.outputs.blobEndpoint
output AutoscaleStorage__queueServiceUri string = data.outputs.queueEndpoint
output AutoscaleStorage__tableServiceUri string = data.outputs.tableEndpoint
output ServiceBusConnection__fullyQualifiedNamespace string = serviceBus.outputs.fullyQualifiedNamespace
