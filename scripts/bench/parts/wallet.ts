import type { BenchSheet } from '../bench-run.ts'
import { measureSignIns } from '../wallet/measure-sign-ins.ts'
import { measureVerification } from '../wallet/measure-verification.ts'

const atOnce = 32

/** Sign-ins by passkey, and the check of what a passkey signed. */
export async function benchWallet(sheet: BenchSheet): Promise<void> {
  const { signIns } = sheet.size
  const { medianMs, p99Ms, bareMs } = await measureVerification(signIns)
  sheet.note('wallet.verification', medianMs, bareMs)
  sheet.note('wallet.verification-p99', p99Ms, bareMs)
  const result = await measureSignIns({ signIns, atOnce })
  sheet.note('wallet.sign-ins', result.perSecond, result.commitsPerSecond)
  sheet.note('wallet.cpu', result.walletMs)
  sheet.note('wallet.cpu-database', result.postgresMs)
  sheet.note('wallet.sign-in-time', result.medianMs)
}
