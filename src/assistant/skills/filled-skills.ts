import type { Skill, Skills } from './skill.ts'

/** Skills whose texts are filled in when they are read, since what they are filled with may become known later: the network. */
export class FilledSkills implements Skills {
  readonly #skills: Skills
  readonly #fill: (text: string) => string

  constructor(skills: Skills, fill: (text: string) => string) {
    this.#skills = skills
    this.#fill = fill
  }

  get all(): readonly Skill[] {
    return this.#skills.all.map((skill) => new FilledSkill(skill, this.#fill))
  }

  find(name: string): Skill | undefined {
    const skill = this.#skills.find(name)
    return skill === undefined ? undefined : new FilledSkill(skill, this.#fill)
  }
}

/** Its text is filled in when somebody asks for it: lists are of names and descriptions, and are made for each conversation. */
class FilledSkill implements Skill {
  readonly name: string
  readonly description: string
  readonly #content: string
  readonly #fill: (text: string) => string

  constructor({ name, description, content }: Skill, fill: (text: string) => string) {
    this.name = name
    this.description = description
    this.#content = content
    this.#fill = fill
  }

  get content(): string {
    return this.#fill(this.#content)
  }
}
