using 'main.bicep'

// Every parameter, with its default or a likely value. Copy it to infra/my.bicepparam, which git ignores, keep what you need, and
// deploy it. It must be in this folder: the line above is a path from where the file is.
//   az deployment group create -g <group> -n autoscale -p infra/my.bicepparam

// Part of every resource name; another name makes another deployment beside this one.
param environmentName = 'hpc-autoscale'

// The app must be in the region of its network. az functionapp list-flexconsumption-locations tells where it can be.
param location = 'westeurope'

// What your organization wants to see on resources.
param tags = {
  costcenter: 'hpc'
}

// az functionapp list-flexconsumption-runtimes -l <region> --runtime node tells which ones the region has.
param nodeVersion = '24'

// 512, 2048 or 4096. Planning 100,000 jobs needs more than 512; see the cost table before you raise it.
param instanceMemoryMB = 512

// Each function scales by itself. A cluster keeps at most one planner and one executor busy.
param maximumInstanceCount = 40

// Empty: everything sleeps when nothing happens. With an entry the first plan after a quiet time comes seconds sooner:
//   [{ name: 'function:plan-scale', instanceCount: 1 }, { name: 'function:execute-action', instanceCount: 1 }]
param alwaysReady = []

// true: instances in at least two zones, and storage in all. Azure keeps two instances of each function awake, which costs more
// than the rest of a small deployment. Not for an existing storage account: choose before the first deployment.
param zoneRedundant = false

// Seconds, minutes, hours, day, month, day of week; UTC. Every two minutes: '0 */2 * * * *'.
param snapshotSchedule = '0 * * * * *'

// When list prices are looked at, and where. 'off' instead of an address: no list is read, and the shipped prices count.
param pricesSchedule = '0 23 * * * *'
param priceListUrl = 'https://prices.azure.com/api/retail/prices'

// One entry per password. A cluster with "password_setting": "CYCLECLOUD_PASSWORD_GPU" in its autoscale.json uses a second one:
//   { setting: 'CYCLECLOUD_PASSWORD_GPU', secret: 'gpu-password' }
param passwordSecrets = [
  {
    setting: 'CYCLECLOUD_PASSWORD'
    secret: 'cyclecloud-password'
  }
]

// Never write it here. Taken from the environment, it becomes the vault's secret; empty, the secret stays as it is.
param cycleCloudPassword = readEnvironmentVariable('CYCLECLOUD_PASSWORD', '')

// '/subscriptions/<id>/resourceGroups/<group>/providers/Microsoft.KeyVault/vaults/<name>', in this tenant, with
// role-based access. You need the right to assign roles in it.
param existingKeyVaultId = ''

// Who may rotate passwords: Key Vault Secrets Officer of the vault.
//   [{ principalId: '00000000-0000-0000-0000-000000000000', principalType: 'Group' }]
param passwordRotators = []

// Once true it stays true, and the name of a deleted vault stays taken for seven days.
param purgeProtection = false

// 'basic' for nodes whose autostop script is CycleCloud's own, which logs in with the name and password of the cluster.
param autostopLogin = 'function-key'

// 'all' lets callers of the HTTP API say where the CycleCloud server is too, which is where its password is sent to;
// 'off' lets them change no configuration at all.
param configChanges = 'settings'

// 'entra' for tokens of people and applications in place of function keys, with the id of the app registration that
// docs/deploy-settings.md explains how to make. Where that is in another tenant than the subscription, apiTenantId names it.
param apiLogin = 'function-key'
param apiClientId = ''

// [{ name: 'HTTPS_CA', value: '...' }]
param extraSettings = []

// Object ids of the identities of the schedulers' hosts; `source` is what their demand messages say:
//   [{ source: 'slurm', principalId: '00000000-0000-0000-0000-000000000000', principalType: 'ServicePrincipal' }]
param schedulers = []

// Who may use ccscale and upload configurations:
//   [{ principalId: '00000000-0000-0000-0000-000000000000', principalType: 'Group' }]
param operators = []

// Who wrote and deleted configurations, packages and function keys. 'all' keeps reads too, some gigabytes a month.
param storageAudit = 'changes'

// Standard_ZRS survives the loss of a zone.
param storageSku = 'Standard_LRS'

// Large demand is uploaded as a blob that is read within minutes.
param uploadRetentionDays = 1

// The planner deletes archived plans after 30 days; this catches those of clusters that are gone.
param planRetentionDays = 90

// Events make changes visible at once instead of at the next beat of the timer.
param eventGrid = true

// Object id of the identity of the CycleCloud server: az vm identity show -g <group> -n <vm> --query principalId -o tsv
param cycleCloudPrincipalId = ''

// A subnet of the CycleCloud server's network, for a server with a private address. Delegated to
// Microsoft.App/environments, otherwise empty, /27 or larger, in this region. With privateEndpoints, a second subnet for those.
param functionsSubnetId = ''
param endpointsSubnetId = ''

// Or a network of its own, peered with the server's. Two autoscalers that are peered with the same network need different prefixes.
param createNetwork = false
param networkAddressPrefix = '10.90.0.0/24'
param cycleCloudNetworkId = ''

// For a server with a private name: the name servers that know it, or the private DNS zone that holds it.
param dnsServers = []
param privateDnsZoneIds = []

// For a fixed address of outgoing calls, and for forced tunnelling. They belong here: what is attached to the subnet by hand is
// taken off by the next deployment.
param natGatewayId = ''
param routeTableId = ''

// 443 when the marketplace image set the server up, 8443 by default elsewhere.
param cycleCloudPort = 443

// No public way to storage and Service Bus. Service Bus becomes Premium, which costs hundreds a month. Decide before the first
// deployment: Azure does not turn a Standard namespace into a Premium one.
param privateEndpoints = false

// Alerts and workbook need the logs only.
param telemetry = 'azure'

// The first 31 days cost nothing extra.
param logRetentionDays = 30

// A brake for the bill. While it holds, alerts see nothing.
param dailyLogCapGb = 1

// ['hpc-operators@example.com'] makes eight alert rules.
param alertEmails = []

// Minutes that a plan may wait before a mail is sent. How long a snapshot may be missing follows from snapshot_interval.
param planOverdueMinutes = 10

// Of one cluster.
param rejectsPerHour = 20

// Of this resource group alone, without the nodes; 0 makes no budget.
param monthlyBudget = 0
