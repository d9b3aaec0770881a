// Where logs, traces and metrics go. Entra ID only: the connection string alone lets nobody write.

@description('Azure region of the workspace and the component.')
param location string

@description('Tags of both.')
param tags object

@description('Name of the Log Analytics workspace.')
param workspaceName string

@description('Name of the Application Insights component.')
param componentName string

@description('Days that logs are kept. The first 31 cost nothing extra.')
@minValue(30)
@maxValue(730)
param retentionDays int

@description('Gigabytes a day after which the workspace takes no more. -1: no limit.')
@minValue(-1)
@maxValue(1000)
param dailyCapGb int

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-02-01' = {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: {
      name: 'PerGB2018'
    }
    retentionInDays: retentionDays
    workspaceCapping: {
      dailyQuotaGb: dailyCapGb
    }
  }
}

resource component 'Microsoft.Insights/components@2020-02-02' = {
  name: componentName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    DisableLocalAuth: true
    IngestionMode: 'LogAnalytics'
    WorkspaceResourceId: workspace.id
  }
}

output workspaceId string = workspace.id
output componentId string = component.id
output componentName string = component.name
