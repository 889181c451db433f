import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { FatalError } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import { isSkillName, NoSkill, parseSkill } from './parse-skill.ts'
import type { Skill, Skills } from './skill.ts'
import { SkillList } from './skill-list.ts'

/** More than a model can read with profit: one skill goes into a conversation whole. */
const mostBytes = 128 * 1024

/** Their names and descriptions are in every conversation. */
const mostSkills = 50

/** The skills that come with flowfarm. */
export const shippedSkills = join(import.meta.dirname, '..', '..', 'skills')

/**
 * Reads all skills of a folder: `<folder>/<name>/SKILL.md`. One that cannot be used is told in the log, with what to do about it, and the
 * others are there. Only files within the folder are read, wherever a link leads.
 * @throws FatalError where the folder itself cannot be read
 */
export async function readSkills(folder: string, log: Pick<Logger, 'warn'>): Promise<Skills> {
  const { root, names } = await look(folder)
  const all: Skill[] = []
  for (const name of names) {
    const file = join(folder, name, 'SKILL.md')
    try {
      if (all.length === mostSkills) throw new NoSkill(`there may be ${mostSkills} at most`)
      all.push(parseSkill(await readFileWithin(root, join(root, name, 'SKILL.md'), name), name))
    } catch (error) {
      if (!(error instanceof NoSkill)) throw error
      log.warn({ file, remedy: error.message }, 'this skill is not used')
    }
  }
  return new SkillList(all)
}

/** The folder as it is on disk, and what is in it in an order that stays. Files and hidden folders beside the skills are nobody's concern. */
async function look(folder: string): Promise<{ readonly root: string; readonly names: readonly string[] }> {
  try {
    const root = await realpath(folder)
    const entries = await readdir(root, { withFileTypes: true })
    const names = entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name)
    return { root, names: names.toSorted() }
  } catch (cause) {
    throw new FatalError(
      'no-skills-folder',
      `the folder of skills ${folder} cannot be read: set SKILLS_DIR to one that can, or leave it out`,
      { cause },
    )
  }
}

/** @throws NoSkill */
async function readFileWithin(root: string, path: string, name: string): Promise<string> {
  if (!isSkillName(name))
    throw new NoSkill(
      'the name of its folder has to be of lower-case letters, digits and single dashes, at most 64 characters',
    )
  const real = await refused('there is no file SKILL.md in its folder that can be read', () => realpath(path))
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new NoSkill('it leads out of the folder of skills: put the file itself there')
  // Without waiting for a writer, where it is a pipe; and not what has taken its place meanwhile.
  const file = await refused('it cannot be read', () =>
    open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW),
  )
  try {
    const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: undefined }))
    if (size === undefined) throw new NoSkill('SKILL.md has to be a file')
    if (size > mostBytes)
      throw new NoSkill(`it has ${size} bytes; at most ${mostBytes} are allowed: make two skills of it`)
    return decode(await file.readFile())
  } finally {
    await file.close()
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new NoSkill('it is no text in UTF-8')
  }
}

async function refused<T>(remedy: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    throw new NoSkill(`${remedy} (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`, { cause })
  }
}
