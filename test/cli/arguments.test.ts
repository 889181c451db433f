import { expect } from 'chai'
import { FatalError } from '../../src/platform/errors.ts'
import { endOf, heightOptions, requiredRange } from '../../scripts/cli/options.ts'
import { helpText, readArguments } from '../../scripts/cli/command.ts'
import { flag, someOf, text, wholeNumber } from '../../scripts/cli/options.ts'
import { tableText } from '../../scripts/cli/texts.ts'
import { duration, heights, heightSet, pluralize } from '../../scripts/cli/texts.ts'

const command = {
  name: 'example',
  summary: 'Does nothing.',
  examples: [['list', 'Nothing.']] as const,
  actions: { list: 'Show.', drop: 'Remove.' },
  options: {
    ...heightOptions,
    names: someOf('<names>', ['ab', 'cd'], 'Which.'),
    note: text('<text>', 'Why.'),
    pieces: wholeNumber('<number>', 'How many.', { min: 2 }),
    quiet: flag('Say nothing.'),
  },
}
const plain = { ...command, actions: {} }

describe('command arguments', () => {
  it('are parsed by option type', () => {
    const { action, options } = readArguments(command, [
      'drop',
      '--from',
      '1,000',
      '--to=2_000',
      '--names',
      'cd,ab cd',
      '--note=-5',
      '--quiet',
    ])
    expect(action).to.equal('drop')
    expect(options).to.deep.equal({
      from: 1000,
      to: 2000,
      names: ['cd', 'ab'],
      note: '-5',
      pieces: undefined,
      quiet: true,
    })
    expect(readArguments(plain, []).options).to.deep.equal({
      from: undefined,
      to: undefined,
      names: [],
      note: undefined,
      pieces: undefined,
      quiet: false,
    })
  })

  it('are rejected with the option name and the remedy', () => {
    const wrong: readonly (readonly [string[], ...string[]])[] = [
      [['list', '--form', '5'], 'Unknown option --form: did you mean --from?', 'npm run example -- --help'],
      [['list', '--verbose'], 'Unknown option --verbose: options are --from, --to, --names'],
      [['list', '-x'], 'Unknown option -x'],
      [['list', '--quiet=yes'], '--quiet takes no value: write --quiet.'],
      [['list', '--from', '1', '--from', '2'], '--from is given twice'],
      [['list', '--from'], '--from needs a value: --from <height>.'],
      [['list', '--from', '--to', '5'], '--from needs a value'],
      [['list', '--from', 'x'], '--from must be a whole number, not "x": --from <height>.'],
      [['list', '--from=-1'], '--from must be a whole number, not "-1"'],
      [['list', '--from', '1_0'], '--from must be a whole number, not "1_0"'],
      [['list', '--to', '99999999999999999999'], '--to must be a whole number'],
      [['list', '--pieces', '1'], '--pieces must be at least 2, not 1'],
      [['list', '--names', 'ab,ef'], '--names must be one of ab, cd, not "ef".'],
      [['list', '--names', ','], '--names must name at least one'],
      [['list', '--note', ' '], '--note must not be empty'],
      [[], 'Action missing: use one of list, drop.'],
      [['show'], 'Unexpected argument "show": use one of list, drop.'],
      [['list', 'all'], 'Unexpected argument "all": options start with --.'],
    ]
    for (const [args, ...words] of wrong) {
      for (const word of words) expect(() => readArguments(command, args), args.join(' ')).to.throw(FatalError, word)
    }
    expect(() => readArguments(plain, ['now'])).to.throw(
      FatalError,
      'Unexpected argument "now": options start with --.',
    )
  })

  it('accept a height range by first and last height', () => {
    expect(requiredRange({ from: 5, to: 5 })).to.deep.equal({ from: 5, to: 6 })
    expect(endOf({ from: undefined, to: 7 })).to.equal(8)
    expect(() => requiredRange({ from: undefined, to: 7 })).to.throw(FatalError, '--from is missing')
    expect(() => endOf({ from: 8, to: 7 })).to.throw(FatalError, '--to 7 is below --from 8')
  })

  it('have help with actions, options, examples and exit codes, in lines of at most 90 characters', () => {
    const help = helpText({ ...command, notes: ['A note. '.repeat(30).trim()], exitCodes: { 1: 'went wrong' } })
    for (const line of [
      'Usage: npm run example -- list|drop [options]',
      '  drop  Remove.',
      '  --from <height>    First height.',
      '  npm run example -- list',
      '  1   went wrong',
      '  --help             Show this text.',
    ])
      expect(help.split('\n')).to.include(line)
    expect(help.split('\n').filter((line) => line.length > 90)).to.deep.equal([])
  })
})

describe('command output', () => {
  it('formats heights, numbers and times', () => {
    expect(heights({ from: 5, to: 6 })).to.equal('5')
    expect(heights({ from: 5, to: 9 })).to.equal('5 to 8')
    const set = [0, 10, 20, 30, 40].map((from) => ({ from, to: from + 1 }))
    expect(heightSet(set)).to.equal('0, 10, 20, 30 and 1 more ranges')
    expect(heightSet([])).to.equal('none')
    expect([1, 2, 1234].map((number) => pluralize(number, 'row'))).to.deep.equal(['1 row', '2 rows', '1,234 rows'])
    expect([0, 59.6, 3661, 90_061].map(duration)).to.deep.equal(['0 s', '1 min', '1 h 1 min', '1 d 1 h'])
  })

  it('aligns tables with colored cells', () => {
    const red = '\u001b[31m12\u001b[39m'
    const columns = [
      { title: 'N', value: ([n = '']: string[]) => n, align: 'right' as const },
      { title: 'X', value: ([, x = '']: string[]) => x },
    ]
    expect(
      tableText(columns, [
        [red, 'a'],
        ['345', ''],
      ]),
    ).to.equal(`  N  X\n ${red}  a\n345\n`)
    expect(tableText(columns, [])).to.equal('')
  })
})
