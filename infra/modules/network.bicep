// A virtual network for an app whose CycleCloud server has a private address only.

@description('Azure region of the network; the app must be in the same.')
param location string

@description('Tags of the network.')
param tags object

@description('Name of the network.')
param name string

@description('Name of the network security group of the function subnet.')
param securityGroupName string

@description('Address space, a /24 or larger, apart from that of the server\'s network.')
param addressPrefix string

@description('Port of the CycleCloud server.')
@minValue(1)
@maxValue(65535)
param cycleCloudPort int

@description('Name servers. Empty: Azure\'s own.')
param dnsServers array

@description('NAT gateway of the app\'s subnet. Empty: none.')
param natGatewayId string

@description('Route table of the app\'s subnet. Empty: none.')
param routeTableId string

@description('Resource id of the server\'s network to peer with. Empty: none.')
param peerNetworkId string

// Half for the app (the subnet must hold an address for every instance), a quarter for private endpoints.
var functionsPrefix = cidrSubnet(addressPrefix, 25, 0)
var endpointsPrefix = cidrSubnet(addressPrefix, 26, 2)

// Not the tag VirtualNetwork: with a route table that sends 0.0.0.0/0 to a firewall, all addresses are part of it.
var privatePrefixes = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16']

resource securityGroup 'Microsoft.Network/networkSecurityGroups@2024-07-01' = {
  name: securityGroupName
  location: location
  tags: tags
  properties: {
    securityRules: [
      {
        name: 'allow-cyclecloud'
        properties: {
          description: 'CycleCloud REST API'
          priority: 100
          direction: 'Outbound'
          access: 'Allow'
          protocol: 'Tcp'
          sourceAddressPrefix: functionsPrefix
          sourcePortRange: '*'
          destinationAddressPrefix: 'VirtualNetwork'
          destinationPortRange: string(cycleCloudPort)
        }
      }
      {
        name: 'allow-private-endpoints'
        properties: {
          description: 'Storage and Service Bus'
          priority: 110
          direction: 'Outbound'
          access: 'Allow'
          protocol: 'Tcp'
          sourceAddressPrefix: functionsPrefix
          sourcePortRange: '*'
          destinationAddressPrefix: endpointsPrefix
          destinationPortRanges: ['443', '5671', '5672']
        }
      }
      {
        name: 'allow-names'
        properties: {
          description: 'Name servers, should the network have its own'
          priority: 120
          direction: 'Outbound'
          access: 'Allow'
          protocol: '*'
          sourceAddressPrefix: functionsPrefix
          sourcePortRange: '*'
          destinationAddressPrefix: 'VirtualNetwork'
          destinationPortRange: '53'
        }
      }
      {
        name: 'deny-other-hosts'
        properties: {
          description: 'Nothing else in this network, a peered one or on premises'
          priority: 4000
          direction: 'Outbound'
          access: 'Deny'
          protocol: '*'
          sourceAddressPrefix: functionsPrefix
          sourcePortRange: '*'
          destinationAddressPrefixes: union(privatePrefixes, [addressPrefix])
          destinationPortRange: '*'
        }
      }
    ]
  }
}

resource network 'Microsoft.Network/virtualNetworks@2024-07-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: {
      addressPrefixes: [addressPrefix]
    }
    dhcpOptions: {
      dnsServers: dnsServers
    }
    subnets: [
      {
        name: 'functions'
        properties: {
          addressPrefix: functionsPrefix
          // A way out of its own is needed only where nothing else is one.
          defaultOutboundAccess: empty(natGatewayId) && empty(routeTableId)
          natGateway: empty(natGatewayId) ? null : { id: natGatewayId }
          routeTable: empty(routeTableId) ? null : { id: routeTableId }
          delegations: [
            {
              name: 'functions'
              properties: {
                serviceName: 'Microsoft.App/environments'
              }
            }
          ]
          networkSecurityGroup: {
            id: securityGroup.id
          }
        }
      }
      {
        name: 'endpoints'
        properties: {
          addressPrefix: endpointsPrefix
          privateEndpointNetworkPolicies: 'Disabled'
        }
      }
    ]
  }
}

resource peering 'Microsoft.Network/virtualNetworks/virtualNetworkPeerings@2024-07-01' = if (!empty(peerNetworkId)) {
  parent: network
  name: 'to-cyclecloud'
  properties: {
    allowVirtualNetworkAccess: true
    remoteVirtualNetwork: {
      id: peerNetworkId
    }
  }
}

output id string = network.id
output functionsSubnetId string = '${network.id}/subnets/functions'
output endpointsSubnetId string = '${network.id}/subnets/endpoints'
