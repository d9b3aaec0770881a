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

@description('Object id of the identity that CycleCloud publishes as. Empty: none.')
param publisherId string

// CycleCloud picks the topic from a list and may send with its key, for which it takes Contributor of the topic, or as itself.
var eventGridContributor = '1e241071-0855-49ea-94dc-649edcd759de'
var eventGridDataSender = 'd5a91429-5739-47e2-a06b-3470a27159e7'
var publisherRoles = [eventGridContributor, eventGridDataSender]

resource topic 'Microsoft.EventGrid/topics@2025-02-15' = {
  name: name
  location: location
  tags: tags
  properties: {
    inputSchema: 'EventGridSchema'
    minimumTlsVersionAllowed: '1.2'
    publicNetworkAccess: 'Enabled'
    // The topic's key is one of CycleCloud's ways to sign in.
    disableLocalAuth: false
  }
}

// Why: finds the topic and publishes to it.
resource publishes 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for role in publisherRoles: if (!empty(publisherId)) {
    name: guid(topic.id, publisherId, role)
    scope: topic
    properties: {
      principalId: publisherId
      principalType: 'ServicePrincipal'
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
    }
  }
]

output name string = topic.name
output endpoint string = topic.properties.endpoint
