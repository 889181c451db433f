import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { pairs } from '../../simnode/ledger/world/tokens.ts'
import { conditionsSchema } from '../../src/webhooks/conditions.ts'
import { eventTypeNames, testEventType } from '../../src/webhooks/events.ts'
import { secretOf, standardSignature } from '../../src/webhooks/signature.ts'
import { webhookLimits } from '../../src/webhooks/webhook-limits.ts'
import { readRepositoryFile } from '../support/repository.ts'

describe('the documentation of webhooks', () => {
  const text = readRepositoryFile('docs/webhooks.md')

  it('lists every event type, condition and tier limit', () => {
    for (const condition of Object.keys(conditionsSchema.shape)) expect(text).to.include(`\`${condition}\``)
    for (const type of [...eventTypeNames, testEventType]) expect(text).to.include(`\`${type}\``)
    for (const [tier, { endpoints, subscriptions, eventsPerHour }] of Object.entries(webhookLimits)) {
      const cells = [endpoints, subscriptions, eventsPerHour].map((limit) => limit?.toLocaleString('en') ?? 'unlimited')
      expect(text).to.include(`| ${[tier, ...cells].join(' | ')} |`)
    }
  })

  it('has valid JSON examples', () => {
    const examples = [...text.matchAll(/\| `(\{.*\})` \|/g)].map(([, example = '']) => example)
    expect(examples).to.have.length.above(12)
    for (const example of examples) expect(JSON.parse(example), example).to.be.an('object')
  })

  it('starts with consistent commands for the demo chain', () => {
    const [, receiver = '', curl = ''] = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(
      ([, commands = '']) => commands,
    )
    const [secret = ''] = /whsec_\S+/.exec(receiver) ?? []
    expect(secretOf(secret)?.toString()).to.be.a('string')
    const [, body = ''] = /-d '([\s\S]*)'/.exec(curl) ?? []
    const requested = JSON.parse(body) as {
      url: string
      secret: string
      event_types: string[]
      conditions: { addresses: string[] }
    }
    expect(requested.secret).to.equal(secret)
    expect(receiver).to.include(`--port ${new URL(requested.url).port} `)
    expect(requested.conditions.addresses).to.deep.equal([`0x${pairs[0]?.contract.hex}`])
  })

  it('has Node code that verifies only valid signatures', () => {
    const [, code = ''] = /```js\n([\s\S]*?)```/.exec(text) ?? []
    const key = Buffer.alloc(32, 7)
    const [id, timestamp, body] = ['msg_1_1', Math.floor(Date.now() / 1000), '{"a":"ü"}']
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': standardSignature({ id, timestamp, body }, [Buffer.alloc(32), key]),
    }
    const cases = [
      [headers, body],
      [headers, `${body} `],
      [{ ...headers, 'webhook-id': 'msg_1_2' }, body],
      [{ ...headers, 'webhook-timestamp': String(timestamp - 301) }, body],
    ]
    const program = `${code}
      for (const [headers, body] of ${JSON.stringify(cases)}) console.log(isGenuine('whsec_${key.toString('base64')}', headers, body))`
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    expect(output.trim().split('\n')).to.deep.equal(['true', 'false', 'false', 'false'])
  })
})
