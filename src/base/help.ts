import { settings } from './config.ts'
import type { Setting } from './setting.ts'

type Described = Readonly<Record<string, { readonly description: string }>>

/** What `--help` prints: services, variables with their defaults, exit codes. */
export function helpText(services: Described): string {
  const lines = [
    'flowfarm: an indexer and explorer back end for the Flow chain.',
    '',
    'Usage: node src/main.ts [service …]     without names all services run in one process',
    '',
    'Services:',
    ...Object.entries(services).map(([name, service]) => `  ${name.padEnd(10)} ${service.description}`),
    '',
    'Exit codes: 0 done, 1 needs a person, 75 a restart may help.',
    '',
    'Variables of the environment:',
  ]
  for (const [group, entries] of settingGroups()) {
    lines.push('', `${group}:`)
    for (const [name, setting] of entries) lines.push(`  ${name}`, `      ${setting.description}`, `      ${shape(setting)}`)
  }
  return `${lines.join('\n')}\n`
}

/** `docs/configuration.md`, from the same table. */
export function configurationPage(): string {
  const lines = [
    '# Configuration',
    '',
    'Every variable of the environment that flowfarm reads. This page is made from `src/base/config.ts` by `npm run docs`;',
    'a test fails when it is not current. All bad values are reported at once, and the program then ends with exit code 1.',
  ]
  for (const [group, entries] of settingGroups()) {
    lines.push('', `## ${group}`, '', '| Variable | Type | Unit | Default | Meaning |', '| --- | --- | --- | --- | --- |')
    for (const [name, s] of entries) {
      lines.push(`| \`${name}\` | ${s.type} | ${s.unit ?? ''} | ${s.defaultText} | ${s.description}${s.secret ? ' Never logged.' : ''} |`)
    }
  }
  return `${lines.join('\n')}\n`
}

function shape(setting: Setting<unknown>): string {
  const unit = setting.unit === undefined ? '' : `, in ${setting.unit}`
  return `(${setting.type}${unit}; default: ${setting.defaultText})`
}

function settingGroups(): Map<string, [string, Setting<unknown>][]> {
  const groups = new Map<string, [string, Setting<unknown>][]>()
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const group = groups.get(setting.group) ?? []
    group.push([name, setting])
    groups.set(setting.group, group)
  }
  return groups
}
