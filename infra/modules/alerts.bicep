// What an operator should be told of. Each is a query over the app's own log lines; a row is a reason to look.

@description('Azure region of the alert rules.')
param location string

@description('Tags of the alert rules.')
param tags object

@description('Start of the rules\' names.')
param namePrefix string

@description('Resource id of the Log Analytics workspace.')
param workspaceId string

@description('Name of the function app: several may share a workspace.')
param functionAppName string

@description('Who gets the mails.')
param emails array

@description('Minutes that a plan may wait after it was asked for.')
@minValue(5)
@maxValue(120)
param planOverdueMinutes int

@description('Minutes without a snapshot of a cluster, and without a run of the timer.')
@minValue(5)
@maxValue(60)
param snapshotOverdueMinutes int

@description('Refused messages in an hour that are too many.')
@minValue(1)
@maxValue(100000)
param rejectsPerHour int

var events = 'AppTraces | where AppRoleName =~ "${functionAppName}" | where Message startswith "{" | extend e = parse_json(Message) | extend event = tostring(e.event), cluster = tostring(e.cluster)'

var rules = [
  {
    name: 'plan-overdue'
    title: 'A plan was asked for and not made'
    severity: 1
    query: 'let events = ${events}; let planned = events | where event == "plan" | summarize planned = max(TimeGenerated) by cluster; events | where (event == "demand" and e.outcome == "accepted") or (event == "snapshot" and isnotempty(tostring(e.planRequested))) | join kind=leftouter planned on cluster | where isnull(planned) or TimeGenerated > planned | summarize waiting = min(TimeGenerated) by cluster | where waiting < ago(${planOverdueMinutes}m)'
  }
  {
    name: 'snapshot-overdue'
    title: 'A cluster has not been read for a while'
    severity: 1
    query: '${events} | where event == "snapshot" | summarize newest = max(TimeGenerated) by cluster | where newest < ago(${snapshotOverdueMinutes}m)'
  }
  {
    name: 'timer-silent'
    title: 'The snapshot timer does not run'
    severity: 0
    query: 'AppRequests | where AppRoleName =~ "${functionAppName}" and Name == "snapshot-nodes" | where TimeGenerated > ago(${snapshotOverdueMinutes}m) | summarize runs = count() | where runs == 0'
  }
  {
    name: 'dead-letters'
    title: 'Messages failed again and again'
    severity: 1
    query: '${events} | where TimeGenerated > ago(1h) | where event == "dead-letter" or (event == "rejected" and e.kind != "invalid")'
  }
  {
    name: 'rejects-rising'
    title: 'A scheduler sends messages that are refused'
    severity: 2
    query: '${events} | where TimeGenerated > ago(1h) | where event == "rejected" and e.kind == "invalid" | summarize rejects = count() by cluster | where rejects > ${rejectsPerHour}'
  }
  {
    name: 'boots-failing'
    title: 'Nodes of an array fail to boot'
    severity: 2
    query: '${events} | where TimeGenerated > ago(1h) | where event == "boots-failing"'
  }
  {
    name: 'budget-near'
    title: 'A cluster has nearly or wholly spent its budget'
    severity: 2
    query: '${events} | where event in ("budget-near", "budget-reached")'
  }
  {
    name: 'needs-operator'
    title: 'A login was refused, or a run was given up'
    severity: 1
    query: '${events} | where TimeGenerated > ago(1h) | where event == "login-stopped" or (event == "settled" and e.kind != "stale-snapshot") or (event == "operation" and e.state == "lost")'
  }
]

resource mails 'Microsoft.Insights/actionGroups@2023-01-01' = {
  name: '${namePrefix}-mails'
  location: 'global'
  tags: tags
  properties: {
    groupShortName: 'autoscale'
    enabled: true
    emailReceivers: [
      for (email, index) in emails: {
        name: 'mail-${index}'
        emailAddress: email
        useCommonAlertSchema: true
      }
    ]
  }
}

resource alerts 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = [
  for rule in rules: {
    name: '${namePrefix}-${rule.name}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: '${functionAppName}: ${rule.title}'
      description: rule.title
      severity: rule.severity
      enabled: true
      scopes: [workspaceId]
      evaluationFrequency: 'PT15M'
      windowSize: 'PT1H'
      overrideQueryTimeRange: 'P1D'
      autoMitigate: true
      // The tables are empty, and perhaps not there, until the app has run. test/infra/kql checks every query instead.
      skipQueryValidation: true
      criteria: {
        allOf: [
          {
            query: rule.query
            timeAggregation: 'Count'
            operator: 'GreaterThan'
            threshold: 0
            failingPeriods: {
              numberOfEvaluationPeriods: 1
              minFailingPeriodsToAlert: 1
            }
          }
        ]
      }
      actions: {
        actionGroups: [mails.id]
      }
    }
  }
]
