import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { ParserThread, UnreadableSource } from '../../src/flow/cadence/parser-thread.ts'
import { asError, exitCodes, FatalError } from '../../src/platform/errors.ts'
import { declarationLimits } from '../../src/own-tables/read-declaration.ts'
import { pluralize, print } from '../cli/texts.ts'
import type { ContractEvent, ContractEvents, ContractQuestion } from './contract-events.ts'
import { readContract, readContractName } from './contract-source.ts'
import { generateWorker, missingFields } from './generate.ts'
import { folderName, maxFolderLength } from './names.ts'

interface InitOptions {
  readonly events: readonly string[]
  readonly dir: string | undefined
  readonly name: string | undefined
  readonly node: string | undefined
}

/** Watched by the demo. */
const defaultDir = 'my-workers'

export async function init(given: string | undefined, options: InitOptions): Promise<number> {
  const { dir = defaultDir } = options
  const wanted = readContractName(given)
  const folder = options.name ?? folderName(wanted.name)
  checkFolder(dir, folder)
  const source = await readContract(wanted, options.node)
  const contract = `A.${source.address}.${source.name}`
  const worker = `own_${folder.replaceAll('-', '_')}`
  if (source.isTaken(worker)) {
    const remedy = `Choose another name with --name, or remove it: npm run worker -- remove ${worker}.`
    throw new FatalError('name-taken', `The database has a worker ${worker}. ${remedy}`)
  }
  const found = await parseContract(source)
  const events = selectEvents(contract, found, options.events)
  const names = new Set(events.map(({ name }) => name))
  const recorded = source.recorded.filter(({ name }) => names.has(name))
  const files = generateWorker({
    contract,
    folder,
    dir,
    events,
    structs: found.structs,
    isSelection: events.length < found.events.length,
    missing: missingFields(events, source.shapes),
    recorded,
  })
  await writeFolder(dir, folder, files)
  const path = join(dir, folder)
  const declared = new Set(found.events.map(({ name }) => name))
  const others = [...new Set(source.shapes.map(([name]) => name))].filter((name) => !declared.has(name))
  print(
    [
      `Wrote ${path} for ${contract}: ${pluralize(events.length, 'table')} of ` +
        `${listed(events.map(({ name }) => name))}.`,
      ...[...files.keys()].map((file) => `  ${join(path, file)}`),
      ...(others.length === 0 ? [] : [`Not in the current code, left out: ${listed(others)}.`]),
      recorded.length === 0 ? 'No recorded events: events.json has made-up ones.' : '',
      'Next:',
      relative('.', path).startsWith('..')
        ? '  Its test runs where chai and flowfarm are installed as packages.'
        : `  npm test -- ${path}`,
      dir === defaultDir
        ? '  npm run worker -- list      A running demo loads it within seconds.'
        : `  WORKERS_DIR=${dir} npm start`,
    ]
      .filter((line) => line !== '')
      .join('\n'),
  )
  return exitCodes.success
}

/** @throws FatalError `bad-option`, `folder-exists` */
function checkFolder(dir: string, folder: string): void {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(folder) || folder.length > maxFolderLength) {
    const rule = `lower-case letters, digits and dashes, at most ${maxFolderLength} characters`
    throw new FatalError('bad-option', `--name must be ${rule}, not "${folder}": it names the schema.`)
  }
  const path = join(dir, folder)
  if (existsSync(path)) {
    throw new FatalError('folder-exists', `${path} exists and is not changed. Choose another name with --name.`)
  }
}

async function parseContract(source: ContractQuestion): Promise<ContractEvents> {
  const thread = new ParserThread<ContractQuestion, ContractEvents>(new URL('parse-contract.ts', import.meta.url), {
    cpuLimitMs: 20_000,
  })
  const { address, name, code } = source
  try {
    return await thread.ask({ address, name, code })
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error
    const message = `Could not parse the code of A.${address}.${name}: ${error.message}.`
    throw new FatalError('unreadable-contract', message, { cause: error })
  } finally {
    await thread.close()
  }
}

/** @throws FatalError `unreadable-contract`, `no-events`, `no-matching-event`, `too-many-events` */
function selectEvents(
  contract: string,
  { events, fault }: ContractEvents,
  patterns: readonly string[],
): readonly ContractEvent[] {
  if (fault !== undefined) {
    throw new FatalError('unreadable-contract', `Could not parse the code of ${contract}: ${fault}.`)
  }
  if (events.length === 0) {
    const remedy = 'Events of standards, such as FungibleToken.Deposited, belong to the contract of the standard.'
    throw new FatalError('no-events', `${contract} declares no events. ${remedy}`)
  }
  const names = events.map(({ name }) => name)
  const matchers = patterns.map((pattern) => ({ pattern, matcher: matcherOf(pattern) }))
  const unmatched = matchers.find(({ matcher }) => !names.some((name) => matcher.test(name)))
  if (unmatched !== undefined) {
    const message = `No event of ${contract} matches "${unmatched.pattern}". Its events are ${names.join(', ')}.`
    throw new FatalError('no-matching-event', message)
  }
  const selected = events.filter(
    ({ name }) => matchers.length === 0 || matchers.some(({ matcher }) => matcher.test(name)),
  )
  const { tables } = declarationLimits
  if (selected.length <= tables) return selected
  const message =
    `${selected.length} events are selected, and a worker can have ${tables} tables. Choose events with --events. ` +
    `${contract} has ${names.join(', ')}.`
  throw new FatalError('too-many-events', message)
}

function matcherOf(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/\W/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 'i')
}

/** A watching flowfarm sees all files at once. */
async function writeFolder(dir: string, folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const path = join(dir, folder)
  const temporary = join(dir, `.${folder}-${process.pid}`)
  try {
    await mkdir(temporary, { recursive: true })
    for (const [file, text] of files) await writeFile(join(temporary, file), text)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw new FatalError('not-written', `Could not write ${path}: ${asError(error).message}.`, { cause: error })
  }
}

const maxListed = 12

function listed(names: readonly string[]): string {
  const more = names.length - maxListed
  return more > 0 ? `${names.slice(0, maxListed).join(', ')} and ${more} more` : names.join(', ')
}
