// Lets the function app read secrets, and those who rotate passwords write them. A module of its own, because the vault may be in another resource group.

@description('Name of the vault.')
param vaultName string

@description('Object id of the identity that reads.')
param principalId string

@description('Who may write secrets: [{ principalId: \'<object id>\', principalType: \'Group\' }].')
param rotators array

// Key Vault Secrets User
var secretsUser = '4633458b-17de-408a-b874-0445c86b69e6'
// Key Vault Secrets Officer
var secretsOfficer = 'b86a8fe4-44ce-4948-aee5-eccb2c155cd7'

resource vault 'Microsoft.KeyVault/vaults@2024-11-01' existing = {
  name: vaultName
}

// Why: passwords and keys that app settings refer to.
resource reads 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(vault.id, principalId, secretsUser)
  scope: vault
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', secretsUser)
  }
}

// Why: writes new passwords.
resource rotates 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for rotator in rotators: {
    name: guid(vault.id, rotator.principalId, secretsOfficer)
    scope: vault
    properties: {
      principalId: rotator.principalId
      principalType: rotator.principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', secretsOfficer)
    }
  }
]

output uri string = vault.properties.vaultUri
