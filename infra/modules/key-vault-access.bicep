// Lets the function app read secrets. A module of its own, because the vault may be in another resource group.

@description('Name of the vault.')
param vaultName string

@description('Object id of the identity that reads.')
param principalId string

// Key Vault Secrets User
var secretsUser = '4633458b-17de-408a-b874-0445c86b69e6'

resource vault 'Microsoft.KeyVault/vaults@2024-11-01' existing = {
  name: vaultName
}

resource reads 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(vault.id, principalId, secretsUser)
  scope: vault
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', secretsUser)
  }
}

output uri string = vault.properties.vaultUri
