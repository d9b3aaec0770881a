// Brings CycleCloud's events to the function. To be deployed after the code: Event Grid asks whether the function is there.

@description('Name of the Event Grid topic, output AUTOSCALE_EVENT_GRID_TOPIC of main.bicep.')
param topicName string

@description('Name of the function app, output AUTOSCALE_FUNCTION_APP of main.bicep.')
param functionAppName string

@description('Name of the Event Grid-triggered function.')
param functionName string = 'node-events'

resource topic 'Microsoft.EventGrid/topics@2025-02-15' existing = {
  name: topicName
}

resource app 'Microsoft.Web/sites@2024-11-01' existing = {
  name: functionAppName
}

resource events 'Microsoft.EventGrid/topics/eventSubscriptions@2025-02-15' = {
  parent: topic
  name: functionName
  properties: {
    destination: {
      endpointType: 'AzureFunction'
      properties: {
        resourceId: '${app.id}/functions/${functionName}'
        maxEventsPerBatch: 1
      }
    }
    eventDeliverySchema: 'EventGridSchema'
    filter: {
      subjectBeginsWith: '/sites/'
    }
    // An event only says "look now". The timer looks anyway, so an old event is worth nothing.
    retryPolicy: {
      maxDeliveryAttempts: 10
      eventTimeToLiveInMinutes: 10
    }
  }
}
