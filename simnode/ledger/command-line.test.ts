import { expect } from 'chai'
import { FatalError } from '../../src/platform/errors.ts'
import { readCommandLine } from './command-line.ts'

const now = new Date('2026-05-06T07:08:09Z')

describe('command line of the simulated node', () => {
  it('has defaults for everything: a thousand past blocks, then new ones at mainnet pace', () => {
    expect(readCommandLine([], now)).to.deep.equal({
      node: {
        port: 3569,
        host: '127.0.0.1',
        faults: [],
        head: 999,
        intervalMs: 800,
        seed: 1,
        branch: '',
        busyness: 1,
        clock: { height: 0, time: new Date(now.getTime() - 999 * 800), spacingMs: 800 },
        keepsOrphans: false,
        hasPayer: false,
        hugeBlocks: [],
      },
      controlPort: undefined,
      showsRate: false,
    })
  })

  it('reads every option', () => {
    const args = [
      '--port',
      '0',
      '--spork-root',
      '5000',
      '--blocks',
      '200',
      '--interval',
      '1000',
      '--still',
      '--seed',
      '7',
      '--branch',
      '5100b',
      '--busyness',
      '3',
      '--huge',
      '5050',
      '--huge',
      '5060',
      '--orphans',
      '--payer',
      '--rest-port',
      '8888',
      '--genesis',
      '2026-01-01T00:00:00Z',
    ]
    expect(readCommandLine(args, now)).to.deep.include({
      node: {
        port: 0,
        host: '127.0.0.1',
        faults: [],
        head: 5199,
        sporkRootHeight: 5000,
        seed: 7,
        branch: '5100b',
        busyness: 3,
        clock: { height: 0, time: new Date('2026-01-01T00:00:00Z'), spacingMs: 1000 },
        keepsOrphans: true,
        hasPayer: true,
        hugeBlocks: [5050, 5060],
        hasRest: true,
        restPort: 8888,
      },
    })
    expect(readCommandLine(['--help'], now)).to.equal('help')
  })

  for (const [args, complaint] of [
    [['some/folder'], /some\/folder/],
    [['--blocks', '0'], /--blocks takes an integer from 1 on, not '0'/],
    [['--blocks', '5', '--head', '4'], /either --blocks or --head/],
    [['--genesis', 'soon'], /--genesis takes a time like 2026-05-06T07:08:09.000Z, not 'soon'/],
    [['--busyness', '1001'], /--busyness/],
    [['--huge', 'x'], /--huge/],
    [['--nonsense'], /--nonsense/],
  ] as const) {
    it(`rejects ${args.join(' ')}`, () => {
      expect(() => readCommandLine(args, now)).to.throw(FatalError, complaint)
    })
  }
})
