import { settingGroups } from '../../src/base/help.ts'
import { madeFrom, markdownTable } from './markdown.ts'

/** `docs/configuration.md`: every variable of the environment. */
export function configurationPage(): string {
  const lines = [
    '# Configuration',
    '',
    'Every variable of the environment that flowfarm reads. An empty one counts as absent. All bad values are reported at',
    'once, and the program then ends with exit code 1.',
    '',
    madeFrom('`src/base/config.ts`'),
  ]
  for (const [group, entries] of settingGroups()) {
    lines.push('', `## ${group}`, '')
    lines.push(
      ...markdownTable(
        ['Variable', 'Type', 'Unit', 'Default', 'Meaning'],
        entries.map(([name, s]) => [
          `\`${name}\``,
          s.type,
          s.unit ?? '',
          s.defaultText,
          `${s.description}${s.alias === undefined ? '' : ` Also \`${s.alias}\`.`}${s.secret ? ' Never logged.' : ''}`,
        ]),
      ),
    )
  }
  return `${lines.join('\n')}\n`
}
