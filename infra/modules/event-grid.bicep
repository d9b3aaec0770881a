// The topic that CycleCloud publishes node and cluster events to. The function subscribes to it after its first
// deployment: infra/event-subscription.bicep.

@description('Azure region of the topic.')
param location string

@description('Tags of the topic.')
param tags object

@description('Name of the topic.')
@minLength(3)
@maxLength(50)
param name string

resource topic 'Microsoft.EventGrid/topics@2025-02-15' = {
  name: name
  location: location
  tags: tags
  properties: {
    inputSchema: 'EventGridSchema'
    minimumTlsVersionAllowed: '1.2'
    publicNetworkAccess: 'Enabled'
    // CycleCloud picks the topic from a list and signs in to it by its own means, which may be the topic's key.
    disableLocalAuth: false
  }
}

output name string = topic.name
output endpoint string = topic.properties.endpoint
