// Who the function app is. A user-assigned identity exists before the app does, so its rights are there when the app starts.

@description('Azure region of the identity.')
param location string

@description('Tags of the identity.')
param tags object

@description('Name of the user-assigned identity.')
param name string

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: name
  location: location
  tags: tags
}

output id string = identity.id
output clientId string = identity.properties.clientId
output principalId string = identity.properties.principalId
