import { expect } from 'chai'
import { FatalError } from '../../src/platform/errors.ts'
import { readCommandLine } from './command-line.ts'

const now = new Date('2026-05-06T07:08:09Z')

describe('command line of the replay node', () => {
  it('has defaults for everything except the folder', () => {
    expect(readCommandLine(['some/folder'], now)).to.deep.equal({
      node: { recording: 'some/folder', port: 3569, host: '127.0.0.1', loop: false, faults: [] },
      controlPort: undefined,
      showsRate: false,
    })
  })

  it('reads every option', () => {
    const args = [
      '--port',
      '0',
      '--host',
      '::1',
      '--head',
      '30',
      '--interval',
      '250',
      '--loop',
      '--branch',
      'b',
      '--start-height',
      '10',
      '--spork-root',
      '12',
      '--real-time',
      '--latency',
      '5',
      '--fault',
      '{"kind":"garbage","times":2}',
      '--fault',
      '{"kind":"status","code":"NOT_FOUND","heights":{"from":1,"to":2}}',
      '--control-port',
      '4000',
      '--rate',
      'folder',
    ]
    expect(readCommandLine(args, now)).to.deep.equal({
      node: {
        recording: 'folder',
        port: 0,
        host: '::1',
        loop: true,
        head: 30,
        intervalMs: 250,
        startHeight: 10,
        sporkRootHeight: 12,
        version: 'b',
        clock: { height: 30, time: now, spacingMs: 250 },
        faults: [
          { kind: 'latency', ms: 5 },
          { kind: 'garbage', times: 2 },
          { kind: 'status', code: 'NOT_FOUND', heights: { from: 1, to: 2 } },
        ],
      },
      controlPort: 4000,
      showsRate: true,
    })
    expect(readCommandLine(['--help'], now)).to.equal('help')
  })

  for (const [args, complaint] of [
    [[], /Missing folder/],
    [['a', 'b'], /Only one folder is allowed; unexpected: b/],
    [['a', '--port', 'x'], /--port takes an integer from 0 to 65535, not 'x'/],
    [['a', '--port', '65536'], /--port/],
    [['a', '--interval', '0'], /--interval takes an integer from 1 on/],
    [['a', '--head', '1.5'], /--head/],
    [['a', '--real-time'], /--real-time needs --head/],
    [['a', '--fault', 'x'], /--fault takes JSON/],
    [['a', '--fault', '{"kind":"nonsense"}'], /--fault .*Invalid discriminator/],
    [['a', '--fault', '{"kind":"latency"}'], /ms/],
    [['a', '--fault', '{"kind":"latency","ms":1,"mss":2}'], /mss/],
    [['a', '--fault', '{"kind":"status","code":"OK"}'], /code/],
    [['a', '--nonsense'], /--nonsense/],
  ] as const) {
    it(`rejects ${args.join(' ') || 'no arguments'}`, () => {
      expect(() => readCommandLine(args, now)).to.throw(FatalError, complaint)
    })
  }
})
