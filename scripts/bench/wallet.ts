import { availableParallelism, loadavg } from 'node:os'
import { readOptions } from './read-options.ts'
import { measureSignIns } from './wallet/measure-sign-ins.ts'
import { measureVerification } from './wallet/measure-verification.ts'

/**
 * `npm run bench:wallet`: sign-ins by passkey a second on one process of the wallet, the processor time of each, and how long the check of what a passkey
 * signed takes. People are a process of their own on the same machine; the database is made for the run.
 */

const { values } = readOptions(import.meta.filename, {
  options: {
    'sign-ins': { type: 'string', default: '5000' },
    'at-once': { type: 'string', default: '32' },
    verifications: { type: 'string', default: '3000' },
    profile: { type: 'string' },
  },
})

process.stdout.write(
  `Wallet: one process, ${availableParallelism()} cores for it, PostgreSQL and the people, Node ${process.version}, load ${(loadavg()[0] ?? 0).toFixed(1)}\n\n`,
)
const verification = await measureVerification(Number(values.verifications))
process.stdout.write(
  `check of an assertion   median ${verification.medianMs.toFixed(3)} ms   p99 ${verification.p99Ms.toFixed(3)} ms   processor ${verification.cpuMs.toFixed(3)} ms   ` +
    `bare ECDSA ${verification.bareMs.toFixed(3)} ms (× ${(verification.medianMs / verification.bareMs).toFixed(1)})\n`,
)
const result = await measureSignIns({
  signIns: Number(values['sign-ins']),
  atOnce: Number(values['at-once']),
  profileFolder: values.profile,
})
process.stdout.write(
  `sign-ins                ${Math.round(result.perSecond)}/s   processor ms: wallet ${result.walletMs.toFixed(2)}, PostgreSQL ${result.postgresMs.toFixed(2)}, people ${result.peopleMs.toFixed(2)}   ` +
    `median ${result.medianMs.toFixed(0)} ms   p99 ${result.p99Ms.toFixed(0)} ms   bare commits ${Math.round(result.commitsPerSecond)}/s   load ${(loadavg()[0] ?? 0).toFixed(1)}\n`,
)
