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

@description('Refused messages in an hour that are too many.')
@minValue(1)
@maxValue(100000)
param rejectsPerHour int

var events = 'AppTraces | where AppRoleName =~ "${functionAppName}" | where Message startswith "{" | extend e = parse_json(Message) | extend event = tostring(e.event), cluster = coalesce(tostring(e.cluster), "-")'

var byCluster = {
  name: 'cluster'
  operator: 'Include'
  values: ['*']
}
var byLevel = {
  name: 'level'
  operator: 'Include'
  values: ['*']
}

// The workspace notes when its daily cap is reached, and when the next day begins.
var capped = '_LogOperation | where Detail has_any ("OverQuota", "RespectQuota") | summarize arg_max(TimeGenerated, Detail) | where Detail has "OverQuota" | project Detail'

// What is overdue is counted up to the newest line or beat of the timer, not up to now: while no line comes, because the log is capped or the
// app is down, one alert tells so instead of one for each cluster. A snapshot is overdue after three of the cluster's longest intervals, which
// its own log line tells, but not within 15 minutes.
// `page`: what explains it. `dimensions`: columns of what each row is about; every value has an alert of its own, which neither hides another nor ends with it.
var rules = [
  {
    name: 'plan-overdue'
    title: 'A plan was asked for and not made'
    todo: 'See in the log what plan-scale reports, and in Service Bus whether plan-requests has dead letters.'
    page: 'docs/operate.md#nothing-happens'
    severity: 1
    dimensions: [byCluster]
    query: 'let events = ${events}; let newest = toscalar(events | summarize max(TimeGenerated)); let planned = events | where event == "plan" | summarize planned = max(TimeGenerated) by cluster; events | where (event == "demand" and e.outcome == "accepted") or (event == "snapshot" and isnotempty(tostring(e.planRequested))) | join kind=leftouter planned on cluster | where isnull(planned) or TimeGenerated > planned | summarize waiting = min(TimeGenerated) by cluster | where waiting < newest - ${planOverdueMinutes}m'
  }
  {
    name: 'snapshot-overdue'
    title: 'A configured cluster has not been read for a while'
    todo: 'Ask "ccscale status" what CycleCloud answers; check its address, its login and the network.'
    page: 'docs/deploy.md#troubleshooting'
    severity: 1
    dimensions: [byCluster]
    query: 'let events = ${events}; let beat = toscalar(events | where event == "timer" | summarize max(TimeGenerated)); let read = events | where event == "snapshot" | summarize arg_max(TimeGenerated, e) by cluster | project cluster, newest = TimeGenerated, allowedSeconds = max_of(900, 3 * coalesce(toint(e.restSeconds), 300)); events | where event == "timer" | mv-expand configured = parse_json(tostring(e.clusters)) | summarize since = min(TimeGenerated), until = max(TimeGenerated) by cluster = tostring(configured) | where until == beat | join kind=leftouter read on cluster | where coalesce(newest, since) < beat - coalesce(allowedSeconds, 900) * 1s | project cluster, newest'
  }
  {
    name: 'timer-silent'
    title: 'The snapshot timer does not run'
    todo: 'Restart the function app, unless it was stopped on purpose.'
    page: 'docs/deploy.md#troubleshooting'
    severity: 0
    dimensions: []
    query: 'let capped = toscalar(${capped} | count); AppRequests | where AppRoleName =~ "${functionAppName}" and Name == "snapshot-nodes" | where TimeGenerated > ago(15m) | summarize runs = count() | where runs == 0 and capped == 0'
  }
  {
    name: 'log-capped'
    title: 'The workspace takes no more log today, and no alert can see anything'
    todo: 'Raise dailyLogCapGb, or set storageAudit to off. The autoscaler itself goes on.'
    page: 'docs/alerts.md#alerts'
    severity: 1
    dimensions: []
    query: capped
  }
  {
    name: 'dead-letters'
    title: 'Messages failed again and again'
    todo: 'Ask "ccscale rejects list" what they are; replay them when the cause is gone.'
    page: 'docs/operate.md#a-job-is-not-known'
    severity: 1
    dimensions: [byCluster]
    query: '${events} | where TimeGenerated > ago(1h) | where event == "dead-letter" or (event == "rejected" and tostring(e.kind) in ("poison", "dead-letter"))'
  }
  {
    name: 'rejects-rising'
    title: 'A scheduler sends messages that are refused'
    todo: 'Ask "ccscale rejects show" what is wrong with them, and tell whoever runs the scheduler.'
    page: 'docs/operate.md#a-job-is-not-known'
    severity: 2
    dimensions: [byCluster]
    query: '${events} | where TimeGenerated > ago(1h) | where event == "rejected" and e.kind == "invalid" | summarize rejects = count() by cluster | where rejects > ${rejectsPerHour}'
  }
  {
    name: 'boots-failing'
    title: 'Nodes of an array fail to boot'
    todo: 'Ask "ccscale events --kind node-failed" what CycleCloud says: image, scripts, quota.'
    page: 'docs/operate.md#nodes-boot-again-and-again'
    severity: 2
    dimensions: [byCluster]
    query: '${events} | where TimeGenerated > ago(1h) | where event == "boots-failing"'
  }
  {
    name: 'budget-near'
    title: 'A cluster has nearly or wholly spent its budget'
    todo: 'Ask "ccscale cost" who spent it; change the budget with "ccscale config set" if that is right.'
    page: 'docs/cost.md#in-the-status'
    severity: 2
    dimensions: [byCluster, byLevel]
    query: '${events} | where event == "snapshot" | summarize arg_max(TimeGenerated, e) by cluster | project cluster, level = tostring(e.budget) | where level in ("near", "reached")'
  }
  {
    name: 'config-unusable'
    title: 'A configuration cannot be used, and an earlier one stays in force'
    todo: 'Ask "ccscale status" what is wrong with it; correct autoscale.json and store it again.'
    page: 'docs/configure.md#configure'
    severity: 2
    dimensions: [byCluster]
    query: '${events} | where event == "snapshot" | summarize arg_max(TimeGenerated, e) by cluster | where e.configuration == "earlier" | project cluster'
  }
  {
    name: 'needs-operator'
    title: 'A login was refused, or a run was given up'
    todo: 'Ask "ccscale status": it names what is wrong first, with the command that ends it.'
    page: 'docs/operate.md#the-login-is-refused'
    severity: 1
    dimensions: [byCluster]
    query: '${events} | where TimeGenerated > ago(1h) | where event == "login-stopped" or (event == "settled" and e.kind != "stale-snapshot" and (e.kind != "upstream" or e.trigger != "timer")) or (event == "operation" and e.state == "lost")'
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
      description: '${rule.title}. ${rule.todo} ${rule.page} of this release explains it.'
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
            dimensions: rule.dimensions
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
