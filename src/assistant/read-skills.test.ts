import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { FatalError } from '../platform/errors.ts'
import { readSkills, shippedSkills } from './read-skills.ts'
import type { Skills } from './read-skills.ts'

interface Reported {
  readonly file: string
  readonly remedy: string
}

describe('reading skills', () => {
  let root: string
  let reported: Reported[]
  const log = { warn: (fields: object): void => void reported.push(fields as Reported) }
  const read = (): Promise<Skills> => readSkills(join(root, 'skills'), log)

  beforeEach(async () => {
    reported = []
    root = await mkdtemp(join(tmpdir(), 'flowfarm-skills-'))
    await write('good', '---\nname: good\ndescription: What is good.\n---\n\n# Good\n')
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  async function write(folder: string, text: string | Uint8Array): Promise<void> {
    await mkdir(join(root, 'skills', folder), { recursive: true })
    await writeFile(join(root, 'skills', folder, 'SKILL.md'), text)
  }

  /** The logged reason for the invalid skill; the valid one is still loaded. */
  async function remedyFor(folder: string): Promise<string> {
    const skills = await read()
    expect(skills.all.map(({ name }) => name)).to.deep.equal(['good'])
    expect(reported.map(({ file }) => file)).to.deep.equal([join(root, 'skills', folder, 'SKILL.md')])
    return reported[0]?.remedy ?? ''
  }

  it('returns texts without front matter, sorted by name', async () => {
    await write('a-second', '---\nname: a-second\ndescription: B.\n---\ntext\n---\nmore\n')
    const skills = await read()
    expect(skills.all).to.deep.equal([
      { name: 'a-second', description: 'B.', content: 'text\n---\nmore\n' },
      { name: 'good', description: 'What is good.', content: '# Good\n' },
    ])
    expect(reported).to.deep.equal([])
  })

  it('finds a skill by its case-insensitive name only', async () => {
    const skills = await read()
    expect(skills.find(' GOOD ')?.name).to.equal('good')
    for (const name of [
      '',
      'other',
      '../skills/good',
      './good',
      'good/SKILL.md',
      '__proto__',
      'constructor',
      join(root, 'skills', 'good'),
    ])
      expect(skills.find(name), name).to.equal(undefined)
  })

  it('accepts quoted, folded and non-English text, CRLF, a byte order mark and unknown fields', async () => {
    await write(
      'quoted',
      '---\nname: "quoted"\ndescription: \'Says: "hello" #1\'\nlicense: MIT\nmetadata:\n  version: 1.0\n---\nx',
    )
    await write(
      'folded',
      '\uFEFF---\r\nname: folded\r\ndescription: >-\r\n  One line\r\n  and another: 质押。\r\n---\r\nx\r\ny\r\n',
    )
    const skills = await read()
    expect(reported).to.deep.equal([])
    expect(skills.find('quoted')?.description).to.equal('Says: "hello" #1')
    expect(skills.find('folded')).to.deep.equal({
      name: 'folded',
      description: 'One line and another: 质押。',
      content: 'x\ny\n',
    })
  })

  it('ignores loose files, hidden folders and additional files of a skill', async () => {
    await writeFile(join(root, 'skills', 'README.md'), 'x')
    await mkdir(join(root, 'skills', '.git'))
    await writeFile(join(root, 'skills', 'good', 'other.md'), 'x')
    expect((await read()).all).to.have.length(1)
    expect(reported).to.deep.equal([])
  })

  const broken: readonly (readonly [what: string, text: string | Uint8Array, remedy: RegExp])[] = [
    ['no front matter', '# Broken\n', /first line must be ---/],
    ['front matter without an end', '---\nname: broken\ndescription: x\n', /missing --- line/],
    [
      'invalid YAML',
      '---\nname: broken\ndescription: Flow: what it is: this\n---\nx',
      /invalid YAML .*quote values that contain a colon/,
    ],
    ['a list as front matter', '---\n- name\n---\nx', /missing name: and description:/],
    ['no name', '---\ndescription: x\n---\nx', /add "name: broken"/],
    ['a number as name', '---\nname: 7\ndescription: x\n---\nx', /add "name: broken"/],
    [
      'another name than its folder',
      '---\nname: ../other\ndescription: x\n---\nx',
      /the name "..\/other" differs from the folder "broken"/,
    ],
    ['no description', '---\nname: broken\n---\nx', /missing description/],
    ['an empty description', '---\nname: broken\ndescription: "  "\n---\nx', /missing description/],
    [
      'a long description',
      `---\nname: broken\ndescription: ${'x'.repeat(1025)}\n---\nx`,
      /description too long: 1025 characters/,
    ],
    ['no text', '---\nname: broken\ndescription: x\n---\n\n', /no content after name/],
    [
      'a text beyond all bounds',
      `---\nname: broken\ndescription: x\n---\n${'x'.repeat(131_073)}`,
      /131\d{3} bytes, the limit is 131072/,
    ],
    ['other bytes than UTF-8', Uint8Array.of(0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe), /not valid UTF-8/],
    [
      'a bomb of aliases',
      `---\nname: broken\na: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\ndescription: *b\n---\nx`,
      /invalid YAML/,
    ],
  ]
  for (const [what, text, remedy] of broken) {
    it(`reports how to correct ${what} and loads the other skills`, async () => {
      await write('broken', text)
      expect(await remedyFor('broken')).to.match(remedy)
    })
  }

  for (const folder of ['Upper', 'with space', 'under_score', 'two--dashes', '-dash', 'ünïcode', 'x'.repeat(65)]) {
    it(`rejects the skill name ${folder.slice(0, 12)}`, async () => {
      await write(folder, `---\nname: ${folder}\ndescription: x\n---\nx`)
      expect(await remedyFor(folder)).to.match(/lower-case letters, digits and single dashes/)
    })
  }

  it('reports a folder without SKILL.md', async () => {
    await mkdir(join(root, 'skills', 'broken'))
    expect(await remedyFor('broken')).to.match(/cannot read SKILL.md.*ENOENT/)
  })

  it('does not block on a named pipe', async () => {
    await mkdir(join(root, 'skills', 'broken'))
    execFileSync('mkfifo', [join(root, 'skills', 'broken', 'SKILL.md')])
    expect(await remedyFor('broken')).to.match(/must be a file/)
  })

  it('follows links to files and folders only within its folder', async () => {
    const secret = '---\nname: broken\ndescription: x\n---\nsecret'
    await mkdir(join(root, 'skills-beside'))
    await writeFile(join(root, 'skills-beside', 'SKILL.md'), secret)
    await mkdir(join(root, 'skills', 'broken'))
    await symlink(join(root, 'skills-beside', 'SKILL.md'), join(root, 'skills', 'broken', 'SKILL.md'))
    expect(await remedyFor('broken')).to.match(/leaves the skills folder/)
    await rm(join(root, 'skills', 'broken'), { recursive: true })
    await symlink(join(root, 'skills-beside'), join(root, 'skills', 'broken'))
    reported = []
    expect(await remedyFor('broken')).to.match(/leaves the skills folder/)
    await rm(join(root, 'skills', 'broken'))
    await mkdir(join(root, 'skills', '.data'))
    await writeFile(join(root, 'skills', '.data', 'SKILL.md'), '---\nname: linked\ndescription: x\n---\nx')
    await symlink('.data', join(root, 'skills', 'linked'))
    expect((await read()).find('linked')?.content).to.equal('x\n')
  })

  it('reads at most fifty skills', async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, number) =>
        write(`skill-${number}`, `---\nname: skill-${number}\ndescription: x\n---\nx`),
      ),
    )
    expect((await read()).all).to.have.length(50)
    expect(reported.map(({ remedy }) => remedy)).to.deep.equal(['too many skills: the limit is 50'])
  })

  it('names the setting of a missing folder', async () => {
    const error = await readSkills(join(root, 'missing'), log).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(FatalError)
    expect((error as FatalError).message).to.match(/missing: set SKILLS_DIR/)
  })

  it('reads all bundled skills', async () => {
    const { all } = await readSkills(shippedSkills, log)
    expect(reported).to.deep.equal([])
    expect(all.length).to.be.greaterThan(0)
  })
})
