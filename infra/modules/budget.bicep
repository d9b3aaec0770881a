// Tells when this resource group's own cost comes near a limit. Nodes are paid where CycleCloud creates them, not here.

@description('Name of the budget.')
param name string

@description('Amount a month, in the currency of the billing account.')
@minValue(1)
param amount int

@description('First day of the first month, such as 2026-11-01.')
param startDate string

@description('Who gets the mails.')
param emails array

resource budget 'Microsoft.Consumption/budgets@2024-08-01' = {
  name: name
  properties: {
    category: 'Cost'
    amount: amount
    timeGrain: 'Monthly'
    timePeriod: {
      startDate: startDate
    }
    notifications: {
      near: {
        enabled: true
        operator: 'GreaterThan'
        threshold: 80
        thresholdType: 'Actual'
        contactEmails: emails
      }
      forecast: {
        enabled: true
        operator: 'GreaterThan'
        threshold: 100
        thresholdType: 'Forecasted'
        contactEmails: emails
      }
    }
  }
}
