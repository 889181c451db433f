import { Buffer } from 'node:buffer'
import { skillEntry } from '@modelcontextprotocol/server/ext/skills'
import type { SkillSource } from '@modelcontextprotocol/server/ext/skills'
import type { Skill, Skills } from './read-skills.ts'

type Entry = Awaited<ReturnType<typeof skillEntry>>
type ListedResource = Awaited<ReturnType<NonNullable<SkillSource['listResources']>>>[number]

const mimeType = 'text/markdown'

/** Where clients read a skill. The specification of skills wants the name of the file; people write the address without it. */
export function skillUri({ name }: Pick<Skill, 'name'>): string {
  return `skill://${name}/SKILL.md`
}

/** The file as clients read it: the texts of skills are filled in, so it is not the one on disk. Texts of JSON are texts of YAML. */
function fileOf({ name, description, content }: Skill): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${content}`
}

/** Our skills as resources, and as the extension of the protocol for skills (SEP-2640) lists them: each is one file. */
export class SkillResources implements SkillSource {
  readonly #skills: Skills
  /** By the text that they are about: the text of a skill changes once at most, when the network becomes known. */
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

  /** `skill://<name>`, with or without the name of the file. */
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
