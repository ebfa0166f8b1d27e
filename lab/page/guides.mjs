// guides.mjs - scenes with something to see: one for the idea of each paper that ripstop began with, a deadlock, and a job
// that loses a link. Settings are those of `ripstop simulate`; `speed` is in cycles a second.
export const GUIDES = [
  {
    id: 'misroute',
    title: 'A packet makes a U-turn',
    text: `A 4-ary 3-tree. Downwards a packet has one path only, so a failed link there would lose it. With misrouting the
      switch above sends it down another link, where it makes a U-turn and comes back up (Sem-Jacobsen, Skeie, Lysne and
      Duato 2006). At cycle 3,000 a link breaks: watch the packets that make a detour below it.`,
    speed: 300,
    settings: {
      fabric: 'kary-ntree:k=4,n=3',
      method: 'misroute',
      load: '0.4',
      changes: '0/1.1/5@3000 0/1.1/5+@9000',
      'measure.warmup': '0',
      'measure.cycles': '100000',
    },
  },
  {
    id: 'messages',
    title: 'Switches notify each other',
    text: `The switches of this tree notify each other of failed links. Upwards they select a switch from which there is a
      path down (Hu, Wang and Sun 2010). When the link breaks, messages spread from both of its ends. Every switch that
      receives one lights up and has new tables.`,
    speed: 60,
    settings: {
      fabric: 'kary-ntree:k=4,n=3',
      method: 'link-fault-messages',
      load: '0.3',
      changes: '1/1.1/5@600 1/1.1/5+@2400',
      'measure.warmup': '0',
      'measure.cycles': '100000',
    },
  },
  {
    id: 'intermediate',
    title: 'A detour by an intermediate node',
    text: `Sixteen routers, each with one crossbar for its row and one for its column (a KNS). Packets whose direct path has
      failed take another node in between, on a virtual channel of their own (Peñaranda, Gómez, López, Gran and Skeie
      2017). Three links fail, one after the other.`,
    speed: 300,
    settings: {
      fabric: 'kns:k=4,n=2',
      method: 'intermediate-nodes',
      load: '0.3',
      changes: '1.1/0@2000 2.2/1@4000 1.2/0@6000',
      'measure.warmup': '0',
      'measure.cycles': '100000',
    },
  },
  {
    id: 'reprioritise',
    title: 'Classes of traffic keep their places',
    text: `Three classes of traffic share a tree that loses links. Packets that meet a fault change their class, so that
      the fault affects packets of the highest class, which meet none, as little as possible (Sem-Jacobsen and Skeie). The
      packets that make a detour are marked.`,
    speed: 300,
    settings: {
      fabric: 'kary-ntree:k=4,n=3',
      method: 'reprioritise',
      load: '0.5',
      changes: '0/1.1/5@2000 0/2.1/6@4000',
      'traffic.classes': '0.2/0.3/0.5',
      'measure.warmup': '0',
      'measure.cycles': '100000',
    },
  },
  {
    id: 'immunet',
    title: 'A network heals itself',
    text: `A torus with adaptive routing over a safe ring. When parts fail, Immunet searches for a new safe network by
      messages alone and recomputes its tables (Puente, Gregorio, Vallejo and Beivide 2004). Here a whole switch fails,
      and later a link. Packets stall and the throughput falls. Then the new network serves the packets that wait.`,
    speed: 1000,
    settings: {
      fabric: 'torus:8x8',
      method: 'immunet',
      load: '0.15',
      changes: 'switch:3.4@2500 5.5/0@16000',
      'measure.warmup': '0',
      'measure.cycles': '100000',
    },
  },
  {
    id: 'deadlock',
    title: 'A deadlock',
    text: `Plain dimension order on a torus: first along the row, then along the column. Its rings close, and with enough
      packets on them each waits for the next, forever. When the search of the buffers finds the cycle, it lights up. Try
      the same with the method dor:bubble=on, or prove this state.`,
    speed: 200,
    settings: {
      fabric: 'torus:8x8',
      method: 'dor',
      load: '0.8',
      'switch.in_queue': '1',
      'measure.warmup': '0',
      'measure.cycles': '100000',
    },
  },
  {
    id: 'allreduce',
    title: 'An all-reduce loses a link',
    text: `Sixteen processors add up a vector around a ring, again and again, as the training of a model does. Neighbours on
      the ring are under different switches. In the third round a link breaks. Its lost packets are sent again after a
      thousand cycles, the others are misrouted. The throughput recovers some time after the link is repaired.`,
    speed: 1000,
    settings: {
      fabric: 'kary-ntree:k=4,n=2',
      method: 'misroute',
      workload: 'allreduce:bytes=2048,repeat=12 on racks',
      changes: '0/1/5@9500 0/1/5+@16000',
      'workload.packet': '64',
      'workload.retry': '1000',
      'workload.limit': '300000',
    },
  },
];
