// Storage and Service Bus inside the network, found under their usual names.

@description('Azure region of the endpoints.')
param location string

@description('Tags of the endpoints.')
param tags object

@description('Start of the endpoints\' names.')
param namePrefix string

@description('Network whose hosts find the services at their private addresses.')
param networkId string

@description('Subnet of the endpoints; not the one that is delegated to the app. Empty is refused: with functionsSubnetId it must be given too.')
@minLength(1)
param endpointsSubnetId string

@description('Resource id of the storage account.')
param storageId string

@description('Resource id of the Service Bus namespace.')
param serviceBusId string

var services = [
  {
    group: 'blob'
    id: storageId
    zone: 'privatelink.blob.${environment().suffixes.storage}'
  }
  {
    group: 'queue'
    id: storageId
    zone: 'privatelink.queue.${environment().suffixes.storage}'
  }
  {
    group: 'table'
    id: storageId
    zone: 'privatelink.table.${environment().suffixes.storage}'
  }
  {
    group: 'namespace'
    id: serviceBusId
    zone: 'privatelink.servicebus.windows.net'
  }
]

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for service in services: {
    name: service.zone
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (service, index) in services: {
    parent: zones[index]
    name: 'link-${uniqueString(networkId)}'
    location: 'global'
    properties: {
      registrationEnabled: false
      virtualNetwork: {
        id: networkId
      }
    }
  }
]

resource endpoints 'Microsoft.Network/privateEndpoints@2024-07-01' = [
  for (service, index) in services: {
    name: '${namePrefix}-${service.group}'
    location: location
    tags: tags
    properties: {
      subnet: {
        id: endpointsSubnetId
      }
      privateLinkServiceConnections: [
        {
          name: service.group
          properties: {
            privateLinkServiceId: service.id
            groupIds: [service.group]
          }
        }
      ]
    }
  }
]

resource records 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-07-01' = [
  for (service, index) in services: {
    parent: endpoints[index]
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [
        {
          name: service.group
          properties: {
            privateDnsZoneId: zones[index].id
          }
        }
      ]
    }
  }
]
