// The main charts, made of the same log lines as the alerts.

@description('Azure region of the workbook.')
param location string

@description('Tags of the workbook.')
param tags object

@description('Title in the portal.')
param title string

@description('Resource id of the Application Insights component whose logs it shows.')
param componentId string

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(componentId, 'autoscale-workbook')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: title
    category: 'workbook'
    sourceId: componentId
    serializedData: loadTextContent('../workbook.json')
  }
}
