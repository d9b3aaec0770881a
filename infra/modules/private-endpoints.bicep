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

@description('Resource id of the storage account of the deployment package.')
param packageStorageId string

@description('Resource id of the Service Bus namespace.')
param serviceBusId string

var zoneNames = [
  'privatelink.blob.${environment().suffixes.storage}'
  'privatelink.queue.${environment().suffixes.storage}'
  'privatelink.table.${environment().suffixes.storage}'
  'privatelink.servicebus.windows.net'
]

// Of each its zone, by its place in the list above.
var services = [
  { name: 'blob', group: 'blob', id: storageId, zone: 0 }
  { name: 'queue', group: 'queue', id: storageId, zone: 1 }
  { name: 'table', group: 'table', id: storageId, zone: 2 }
  { name: 'namespace', group: 'namespace', id: serviceBusId, zone: 3 }
  { name: 'package', group: 'blob', id: packageStorageId, zone: 0 }
]

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for zone in zoneNames: {
    name: zone
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (zone, index) in zoneNames: {
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
    name: '${namePrefix}-${service.name}'
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
            privateDnsZoneId: zones[service.zone].id
          }
        }
      ]
    }
  }
]
