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
    return this.#skills.all.map((skill) => this.#filled(skill))
  }

  find(name: string): Skill | undefined {
    const skill = this.#skills.find(name)
    return skill === undefined ? undefined : this.#filled(skill)
  }

  #filled({ name, description, content }: Skill): Skill {
    return { name, description, content: this.#fill(content) }
  }
}
