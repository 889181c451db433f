import { Buffer } from 'node:buffer'
import { skillEntry } from '@modelcontextprotocol/server/ext/skills'
import type { SkillSource } from '@modelcontextprotocol/server/ext/skills'
import type { Skill, Skills } from './read-skills.ts'

type Entry = Awaited<ReturnType<typeof skillEntry>>
type ListedResource = Awaited<ReturnType<NonNullable<SkillSource['listResources']>>>[number]

const mimeType = 'text/markdown'

/** The specification requires the file name; users may omit it. */
export function skillUri({ name }: Pick<Skill, 'name'>): string {
  return `skill://${name}/SKILL.md`
}

function fileOf({ name, description, content }: Skill): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${content}`
}

/** Offers skills as resources and by the skills extension of MCP (SEP-2640). */
export class SkillResources implements SkillSource {
  readonly #skills: Skills
  /** Keyed by text, which changes at most once, when the network becomes known. */
  readonly #entries = new Map<string, Promise<Entry>>()

  constructor(skills: Skills) {
    this.#skills = skills
  }

  async list(): Promise<{ skills: Entry[] }> {
    return { skills: await Promise.all(this.#skills.all.map((skill) => this.#entryOf(skill))) }
  }

  async get(uri: string): Promise<Entry | undefined> {
    const skill = this.#at(uri)
    return skill === undefined || skillUri(skill) !== uri ? undefined : await this.#entryOf(skill)
  }

  read(uri: string): Promise<{ text: string; mimeType: string } | undefined> {
    const skill = this.#at(uri)
    return Promise.resolve(skill === undefined ? undefined : { text: fileOf(skill), mimeType })
  }

  listResources(): Promise<ListedResource[]> {
    return Promise.resolve(
      this.#skills.all.map((skill) => ({
        uri: skillUri(skill),
        name: skill.name,
        title: `Skill: ${skill.name}`,
        description: skill.description,
        mimeType,
        size: Buffer.byteLength(fileOf(skill)),
      })),
    )
  }

  #at(uri: string): Skill | undefined {
    const name = /^skill:\/\/([a-z0-9-]+)(?:\/|\/SKILL\.md)?$/.exec(uri)?.[1]
    return name === undefined ? undefined : this.#skills.find(name)
  }

  #entryOf(skill: Skill): Promise<Entry> {
    const file = fileOf(skill)
    const known = this.#entries.get(file)
    if (known !== undefined) return known
    const entry = skillEntry(skill.name, { 'SKILL.md': file })
    this.#entries.set(file, entry)
    return entry
  }
}
