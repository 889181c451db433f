/**
 * Mainnet events in both encodings with their fields. Source: the table of deployed events in
 * onflow/cadence, encoding/ccf/ccf_test.go.
 */
export const mainnetEvents: ReadonlyArray<{ ccf: string; json: string; fields: Record<string, string | null> }> = [
  {
    ccf:
      'd8818281d8a283407828412e663931396565373734343762373439372e466c6f77466565732e466565734465647563746564838266616d' +
      '6f756e74d88917826f696e636c7573696f6e4566666f7274d88917826f657865637574696f6e4566666f7274d8891782d88840831a001b' +
      '6cad1a05f5e1001a00057ebb',
    json:
      '{"value":{"id":"A.f919ee77447b7497.FlowFees.FeesDeducted","fields":[{"value":{"value":"0.01797293","type":"UFi' +
      'x64"},"name":"amount"},{"value":{"value":"1.00000000","type":"UFix64"},"name":"inclusionEffort"},{"value":{"va' +
      'lue":"0.00360123","type":"UFix64"},"name":"executionEffort"}]},"type":"Event"}',
    fields: {
      amount: '0.01797293',
      inclusionEffort: '1.00000000',
      executionEffort: '0.00360123',
    },
  },
  {
    ccf:
      'd8818281d8a28340782b412e663931396565373734343762373439372e466c6f77466565732e546f6b656e7357697468647261776e8182' +
      '66616d6f756e74d8891782d88840811b000000013c2656ff',
    json:
      '{"value":{"id":"A.f919ee77447b7497.FlowFees.TokensWithdrawn","fields":[{"value":{"value":"53.04112895","type":' +
      '"UFix64"},"name":"amount"}]},"type":"Event"}',
    fields: {
      amount: '53.04112895',
    },
  },
  {
    ccf:
      'd8818281d8a28340783a412e383632346235326639646463643034612e466c6f7749445461626c655374616b696e672e44656c65676174' +
      '6f7252657761726473506169648382666e6f64654944d88901826b64656c656761746f724944d8890e8266616d6f756e74d8891782d888' +
      '40837840653532636263643832356533323861636163386462366263626463626236653737323438363263386238396230396438356564' +
      '63636634316666393938316562185c1a1a26f345',
    json:
      '{"value":{"id":"A.8624b52f9ddcd04a.FlowIDTableStaking.DelegatorRewardsPaid","fields":[{"value":{"value":"e52cb' +
      'cd825e328acac8db6bcbdcbb6e7724862c8b89b09d85edccf41ff9981eb","type":"String"},"name":"nodeID"},{"value":{"valu' +
      'e":"92","type":"UInt32"},"name":"delegatorID"},{"value":{"value":"4.38760261","type":"UFix64"},"name":"amount"' +
      '}]},"type":"Event"}',
    fields: {
      nodeID: 'e52cbcd825e328acac8db6bcbdcbb6e7724862c8b89b09d85edccf41ff9981eb',
      delegatorID: '92',
      amount: '4.38760261',
    },
  },
  {
    ccf:
      'd8818281d8a28340783b412e383632346235326639646463643034612e466c6f7749445461626c655374616b696e672e45706f6368546f' +
      '74616c5265776172647350616964848265746f74616cd88917826866726f6d46656573d8891782666d696e746564d88917826a66656573' +
      '4275726e6564d8891782d88840841b000077bd27c8df001b000000013c2656ff1b000077bbeba288011a24018a7f',
    json:
      '{"value":{"id":"A.8624b52f9ddcd04a.FlowIDTableStaking.EpochTotalRewardsPaid","fields":[{"value":{"value":"1316' +
      '543.00000000","type":"UFix64"},"name":"total"},{"value":{"value":"53.04112895","type":"UFix64"},"name":"fromFe' +
      'es"},{"value":{"value":"1316489.95887105","type":"UFix64"},"name":"minted"},{"value":{"value":"6.04080767","ty' +
      'pe":"UFix64"},"name":"feesBurned"}]},"type":"Event"}',
    fields: {
      total: '1316543.00000000',
      fromFees: '53.04112895',
      minted: '1316489.95887105',
      feesBurned: '6.04080767',
    },
  },
  {
    ccf:
      'd8818281d8a283407835412e383632346235326639646463643034612e466c6f7749445461626c655374616b696e672e4e65775765656b' +
      '6c795061796f75748182696e65775061796f7574d8891782d88840811b000077d9e8f55200',
    json:
      '{"value":{"id":"A.8624b52f9ddcd04a.FlowIDTableStaking.NewWeeklyPayout","fields":[{"value":{"value":"1317778.00' +
      '000000","type":"UFix64"},"name":"newPayout"}]},"type":"Event"}',
    fields: {
      newPayout: '1317778.00000000',
    },
  },
  {
    ccf:
      'd8818281d8a283407831412e383632346235326639646463643034612e466c6f7749445461626c655374616b696e672e52657761726473' +
      '506169648282666e6f64654944d889018266616d6f756e74d8891782d88840827840653532636263643832356533323861636163386462' +
      '366263626463626236653737323438363263386238396230396438356564636366343166663939383165621b00000028a3fcf49c',
    json:
      '{"value":{"id":"A.8624b52f9ddcd04a.FlowIDTableStaking.RewardsPaid","fields":[{"value":{"value":"e52cbcd825e328' +
      'acac8db6bcbdcbb6e7724862c8b89b09d85edccf41ff9981eb","type":"String"},"name":"nodeID"},{"value":{"value":"1745.' +
      '49955740","type":"UFix64"},"name":"amount"}]},"type":"Event"}',
    fields: {
      nodeID: 'e52cbcd825e328acac8db6bcbdcbb6e7724862c8b89b09d85edccf41ff9981eb',
      amount: '1745.49955740',
    },
  },
  {
    ccf:
      'd8818281d8a28340782c412e313635343635333339393034306136312e466c6f77546f6b656e2e546f6b656e734465706f736974656482' +
      '8266616d6f756e74d889178262746fd88ad8890382d88840821b000077bbeba28801f6',
    json:
      '{"value":{"id":"A.1654653399040a61.FlowToken.TokensDeposited","fields":[{"value":{"value":"1316489.95887105","' +
      'type":"UFix64"},"name":"amount"},{"value":{"value":null,"type":"Optional"},"name":"to"}]},"type":"Event"}',
    fields: {
      amount: '1316489.95887105',
      to: null,
    },
  },
  {
    ccf:
      'd8818281d8a28340782c412e313635343635333339393034306136312e466c6f77546f6b656e2e546f6b656e734465706f736974656482' +
      '8266616d6f756e74d889178262746fd88ad8890382d88840821b00000028a3fcf49c488624b52f9ddcd04a',
    json:
      '{"value":{"id":"A.1654653399040a61.FlowToken.TokensDeposited","fields":[{"value":{"value":"1745.49955740","typ' +
      'e":"UFix64"},"name":"amount"},{"value":{"value":{"value":"0x8624b52f9ddcd04a","type":"Address"},"type":"Option' +
      'al"},"name":"to"}]},"type":"Event"}',
    fields: {
      amount: '1745.49955740',
      to: '0x8624b52f9ddcd04a',
    },
  },
  {
    ccf:
      'd8818281d8a283407829412e313635343635333339393034306136312e466c6f77546f6b656e2e546f6b656e734d696e74656481826661' +
      '6d6f756e74d8891782d88840811b000077bbeba28801',
    json:
      '{"value":{"id":"A.1654653399040a61.FlowToken.TokensMinted","fields":[{"value":{"value":"1316489.95887105","typ' +
      'e":"UFix64"},"name":"amount"}]},"type":"Event"}',
    fields: {
      amount: '1316489.95887105',
    },
  },
  {
    ccf:
      'd8818281d8a28340782c412e313635343635333339393034306136312e466c6f77546f6b656e2e546f6b656e7357697468647261776e82' +
      '8266616d6f756e74d88917826466726f6dd88ad8890382d88840821b000000013c2656ff48f919ee77447b7497',
    json:
      '{"value":{"id":"A.1654653399040a61.FlowToken.TokensWithdrawn","fields":[{"value":{"value":"53.04112895","type"' +
      ':"UFix64"},"name":"amount"},{"value":{"value":{"value":"0xf919ee77447b7497","type":"Address"},"type":"Optional' +
      '"},"name":"from"}]},"type":"Event"}',
    fields: {
      amount: '53.04112895',
      from: '0xf919ee77447b7497',
    },
  },
]
