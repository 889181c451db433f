import { settings } from './config.ts'
import type { Setting } from './platform/setting.ts'

type Described = Readonly<Record<string, { readonly description: string }>>

const helpWidth = 90

export function helpText(services: Described): string {
  const lines = [
    'flowfarm: an indexer and explorer for the Flow blockchain',
    '',
    'Usage: node src/main.ts [service …]',
    '       npm start -- [service …]',
    '',
    'Without a name, all services run in one process.',
    '',
    'Services:',
    ...Object.entries(services).flatMap(([name, { description }]) => {
      const [first = '', ...more] = wrapped(description, '', helpWidth - 12)
      return [`  ${name.padEnd(10)}${first}`, ...more.map((line) => `${' '.repeat(12)}${line}`)]
    }),
    '',
    'Exit codes: 0 success, 1 operator action required, 75 temporary failure.',
    '',
    'Settings are environment variables, e.g. PORT=8081 npm start:',
  ]
  for (const [group, entries] of settingGroups()) {
    lines.push('', `${group}:`)
    for (const [name, setting] of entries) {
      lines.push(
        '',
        ...wrapped(`${name}  (${shape(setting)})`, '  ', helpWidth),
        ...wrapped(described(setting), '      ', helpWidth),
      )
    }
  }
  return `${lines.join('\n')}\n`
}

export function settingGroups(): Map<string, [string, Setting<unknown>][]> {
  return Map.groupBy(Object.entries<Setting<unknown>>(settings), ([, setting]) => setting.group)
}

function described({ alias, description }: Setting<unknown>): string {
  return alias === undefined ? description : `${description} Also ${alias}.`
}

function shape({ type, unit, defaultText }: Setting<unknown>): string {
  const ifAbsent = defaultText === 'none' ? 'no default' : `default ${defaultText.replaceAll(/,(?=\S)/g, ', ')}`
  return `${type}${unit === undefined ? '' : `, ${unit}`}; ${ifAbsent}`
}

/** Wraps text at `width` characters; longer words are not split. */
function wrapped(text: string, indent: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, indent + line]
}
