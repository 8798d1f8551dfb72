# DaemonSets: there are no nodes, so there are no pods.
def desired: [];

def status: {
  currentNumberScheduled: 0,
  desiredNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
  observedGeneration: .primary.metadata.generation
};
