// Lets the autoscaler's network find names of a private DNS zone. Deployed into the resource group of the zone.

@description('Name of the zone.')
param zoneName string

@description('Resource id of the autoscaler\'s network.')
param networkId string

@description('Tags of the link.')
param tags object

resource zone 'Microsoft.Network/privateDnsZones@2024-06-01' existing = {
  name: zoneName
}

resource link 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = {
  parent: zone
  name: 'autoscaler-${uniqueString(networkId)}'
  location: 'global'
  tags: tags
  properties: {
    registrationEnabled: false
    virtualNetwork: {
      id: networkId
    }
  }
}
