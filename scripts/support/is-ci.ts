/** Whether this is a run of continuous integration; every service of the kind sets `CI`. */
export function isCi(): boolean {
  return (process.env['CI'] ?? '') !== ''
}
