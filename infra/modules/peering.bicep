// The way back: a peering works only when both networks have one. Deployed into the resource group of the server's network.

@description('Name of the CycleCloud server\'s network.')
param serverNetworkName string

@description('Resource id of the autoscaler\'s network.')
param autoscalerNetworkId string

resource network 'Microsoft.Network/virtualNetworks@2024-07-01' existing = {
  name: serverNetworkName
}

// Of a name that no other autoscaler's peering with the same network has.
resource peering 'Microsoft.Network/virtualNetworks/virtualNetworkPeerings@2024-07-01' = {
  parent: network
  name: 'to-autoscaler-${uniqueString(autoscalerNetworkId)}'
  properties: {
    allowVirtualNetworkAccess: true
    remoteVirtualNetwork: {
      id: autoscalerNetworkId
    }
  }
}
