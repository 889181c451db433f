/**
 * How many requests a body holds, for the limit. A batch counts as many as it has; what asks for nothing (notifications,
 * answers of clients) is free. A body that is no message counts as one.
 */
export function countRequests(body: unknown): number {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  return messages.filter((message) => !asksNothing(message)).length
}

function asksNothing(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false
  return 'method' in message ? !('id' in message) : 'result' in message || 'error' in message
}
