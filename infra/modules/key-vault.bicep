// A vault for CycleCloud's passwords. It stays reachable from outside networks: the platform reads references from there.

@description('Azure region of the vault.')
param location string

@description('Tags of the vault.')
param tags object

@description('Name of the vault, unique in Azure.')
@minLength(3)
@maxLength(24)
param name string

@description('Log Analytics workspace that keeps who read and wrote secrets.')
param workspaceId string

@description('Whether a deleted vault or secret cannot be purged before its retention ends. Once on, it stays on.')
param purgeProtection bool

@description('Secret that gets the password below.')
param passwordSecret string

@description('Password of the CycleCloud user. Empty: the secret is left alone, and somebody else writes it.')
@secure()
param cycleCloudPassword string

resource vault 'Microsoft.KeyVault/vaults@2024-11-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    tenantId: subscription().tenantId
    sku: {
      family: 'A'
      name: 'standard'
    }
    enableRbacAuthorization: true
    enableSoftDelete: true
    softDeleteRetentionInDays: 7
    // Azure refuses false where it was true before; null leaves it as it is.
    enablePurgeProtection: purgeProtection ? true : null
    publicNetworkAccess: 'Enabled'
  }
}

resource auditLog 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'audit'
  scope: vault
  properties: {
    workspaceId: workspaceId
    logs: [
      {
        category: 'AuditEvent'
        enabled: true
      }
    ]
  }
}

resource secret 'Microsoft.KeyVault/vaults/secrets@2024-11-01' = if (!empty(cycleCloudPassword)) {
  parent: vault
  name: passwordSecret
  properties: {
    value: cycleCloudPassword
    contentType: 'text/plain'
  }
}

output name string = vault.name
output uri string = vault.properties.vaultUri
