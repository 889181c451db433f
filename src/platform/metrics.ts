import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export class Metrics {
  readonly registry = new Registry()
  #text: Promise<string> | undefined

  readonly blocksStored = new Counter({
    name: 'flowfarm_ingest_blocks_total',
    help: 'Blocks committed to the raw tables.',
    labelNames: ['ingester'],
    registers: [this.registry],
  })
  readonly eventsStored = new Counter({
    name: 'flowfarm_ingest_events_total',
    help: 'Events committed to the raw tables.',
    labelNames: ['ingester'],
    registers: [this.registry],
  })
  readonly transactionsStored = new Counter({
    name: 'flowfarm_ingest_transactions_total',
    help: 'Transactions committed to the raw tables.',
    labelNames: ['ingester'],
    registers: [this.registry],
  })
  readonly commitSeconds = new Histogram({
    name: 'flowfarm_ingest_commit_seconds',
    help: 'Duration of the transaction that stores a batch.',
    labelNames: ['ingester'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [this.registry],
  })
  readonly batchBlocks = new Histogram({
    name: 'flowfarm_ingest_batch_blocks',
    help: 'Blocks per committed batch.',
    labelNames: ['ingester'],
    buckets: [1, 2, 5, 10, 20, 50, 100],
    registers: [this.registry],
  })
  readonly bytesInFlight = new Gauge({
    name: 'flowfarm_ingest_bytes_in_flight',
    help: 'Bytes of fetched but uncommitted blocks.',
    labelNames: ['ingester'],
    registers: [this.registry],
  })
  readonly window = new Gauge({
    name: 'flowfarm_ingest_window_blocks',
    help: 'Blocks that may be fetched concurrently.',
    labelNames: ['ingester'],
    registers: [this.registry],
  })
  readonly indexedHeight = new Gauge({
    name: 'flowfarm_ingest_height',
    help: 'Last committed height: the highest of main_ingester, the lowest of history_ingester.',
    labelNames: ['ingester'],
    registers: [this.registry],
  })
  readonly chainHeight = new Gauge({
    name: 'flowfarm_chain_sealed_height',
    help: 'Latest sealed height reported by an access node.',
    registers: [this.registry],
  })
  readonly indexingErrors = new Counter({
    name: 'flowfarm_indexing_errors_total',
    help: 'Undecodable inputs recorded in raw.indexing_errors.',
    labelNames: ['worker', 'code'],
    registers: [this.registry],
  })
  readonly failingHeights = new Gauge({
    name: 'flowfarm_failing_heights',
    help: 'Settled heights that block an ingester, because no access node serves them or they cannot be stored.',
    labelNames: ['ingester'],
    registers: [this.registry],
  })
  readonly heightsGivenUp = new Counter({
    name: 'flowfarm_heights_given_up_total',
    help: 'Heights recorded in raw.unavailable, entirely or in part, after failing for too long or by an operator.',
    labelNames: ['ingester'],
    registers: [this.registry],
  })
  readonly reorgs = new Counter({
    name: 'flowfarm_reorgs_total',
    help: 'Forks rolled back.',
    registers: [this.registry],
  })
  readonly reorgDepth = new Gauge({
    name: 'flowfarm_reorg_depth_blocks',
    help: 'Blocks replaced by the last fork.',
    registers: [this.registry],
  })

  readonly farmRanges = new Counter({
    name: 'flowfarm_farm_ranges_total',
    help: 'Ranges processed, by outcome.',
    labelNames: ['worker', 'outcome'],
    registers: [this.registry],
  })
  readonly farmBlocks = new Counter({
    name: 'flowfarm_farm_blocks_total',
    help: 'Blocks committed.',
    labelNames: ['worker'],
    registers: [this.registry],
  })
  readonly farmRows = new Counter({
    name: 'flowfarm_farm_rows_total',
    help: 'Rows committed.',
    labelNames: ['worker'],
    registers: [this.registry],
  })
  readonly farmBlocksRead = new Counter({
    name: 'flowfarm_farm_blocks_read_total',
    help: 'Blocks read from the raw tables.',
    registers: [this.registry],
  })
  readonly farmReadSeconds = new Histogram({
    name: 'flowfarm_farm_read_seconds',
    help: 'Time to read up to 200 blocks from the raw tables.',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [this.registry],
  })
  readonly farmDeriveSeconds = new Histogram({
    name: 'flowfarm_farm_derive_seconds',
    help: 'Time to derive a range or a slice of it, which blocks the event loop.',
    labelNames: ['worker'],
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2],
    registers: [this.registry],
  })
  readonly farmCommitSeconds = new Histogram({
    name: 'flowfarm_farm_commit_seconds',
    help: 'Time to write and commit a range of all its workers.',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [this.registry],
  })
  readonly farmRoundSeconds = new Histogram({
    name: 'flowfarm_farm_round_seconds',
    help: 'Duration of a coordinator round, in the process that coordinates.',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [this.registry],
  })
  readonly farmLeaseEvents = new Counter({
    name: 'flowfarm_farm_lease_events_total',
    help:
      'Leases changed by the coordinator: allocated, expired (not renewed in time), requeued (after a failure), ' +
      're-enqueued (not claimed in time), folded.',
    labelNames: ['event'],
    registers: [this.registry],
  })
  readonly farmCoveredHeights = this.#farmGauge('covered_heights', 'Heights completed by the worker.')
  readonly farmBacklogHeights = this.#farmGauge(
    'backlog_heights',
    'Backlog of the worker: stored heights that it could derive and has not, including flagged ones.',
  )
  readonly farmLagHeights = this.#farmGauge(
    'lag_heights',
    'Distance from the highest height completed by the worker to the highest stored one.',
  )
  readonly farmOldestSeconds = this.#farmGauge(
    'oldest_unfinished_seconds',
    'Age of the oldest lease that is neither done nor skipped; 0 if there is none.',
  )
  readonly farmLeases = new Gauge({
    name: 'flowfarm_farm_leases',
    help:
      'Leases that are not done. Like all worker gauges, reported by the process that coordinates and updated ' +
      'every 10 s.',
    labelNames: ['worker', 'status'],
    registers: [this.registry],
  })

  readonly enrichmentKeys = new Counter({
    name: 'flowfarm_enrichment_keys_total',
    help:
      'Keys queried, by outcome: answered, none (the chain has no data), failed, expired (not stored: the claim of ' +
      'the process ended first).',
    labelNames: ['worker', 'outcome'],
    registers: [this.registry],
  })
  readonly enrichmentSeconds = new Histogram({
    name: 'flowfarm_enrichment_batch_seconds',
    help: 'Time to query a batch of keys, including the wait for the rate limit.',
    labelNames: ['worker'],
    buckets: [0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
    registers: [this.registry],
  })
  readonly enrichmentDue = new Gauge({
    name: 'flowfarm_enrichment_due_keys',
    help:
      'Keys due for a query that no process has claimed, counted up to 10,000. Reported by the process that ' +
      'discovers keys for the worker and updated every 10 s.',
    labelNames: ['worker', 'table'],
    registers: [this.registry],
  })
  readonly enrichmentFailed = new Gauge({
    name: 'flowfarm_enrichment_failed_keys',
    help: 'Keys whose last query failed, counted up to 10,000.',
    labelNames: ['worker', 'table'],
    registers: [this.registry],
  })

  readonly sqlStuckSessions = new Gauge({
    name: 'flowfarm_sql_stuck_sessions',
    help:
      'Database sessions of the query service that do not end because PostgreSQL cannot interrupt ' +
      'their statement. Above 0: see docs/operations.md.',
    labelNames: ['target'],
    registers: [this.registry],
  })

  readonly upkeepRuns = new Counter({
    name: 'flowfarm_upkeep_runs_total',
    help: 'Runs of upkeep jobs by outcome.',
    labelNames: ['job', 'outcome'],
    registers: [this.registry],
  })
  readonly upkeepSeconds = new Histogram({
    name: 'flowfarm_upkeep_seconds',
    help: 'Duration of upkeep jobs.',
    labelNames: ['job'],
    buckets: [0.01, 0.1, 1, 10, 60, 300],
    registers: [this.registry],
  })

  readonly alertRuns = new Counter({
    name: 'flowfarm_alert_runs_total',
    help:
      'Runs of alerts by result: fired, limited (e-mail delayed), met (fired before), not_met, failed, postponed ' +
      '(busy), lost (paused, deleted or taken over).',
    labelNames: ['result'],
    registers: [this.registry],
  })
  readonly alertMails = new Counter({
    name: 'flowfarm_alert_mails_total',
    help:
      'E-mails of alerts and to confirm them: sent, failed, limited (delayed by a daily limit), suppressed (the ' +
      'recipient refused, or was asked three times in a day).',
    labelNames: ['result'],
    registers: [this.registry],
  })
  readonly webhookDeliveriesMade = new Counter({
    name: 'flowfarm_webhook_deliveries_made_total',
    help: 'Webhook deliveries created.',
    registers: [this.registry],
  })
  readonly webhookAttempts = new Counter({
    name: 'flowfarm_webhook_attempts_total',
    help: 'Delivery attempts by outcome: delivered (2xx), refused (other status), unanswered.',
    labelNames: ['result'],
    registers: [this.registry],
  })
  readonly webhookAttemptSeconds = new Histogram({
    name: 'flowfarm_webhook_attempt_seconds',
    help: 'Duration of a delivery attempt, including DNS.',
    labelNames: ['result'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
    registers: [this.registry],
  })
  readonly webhookWaiting = new Gauge({
    name: 'flowfarm_webhook_waiting_deliveries',
    help: 'Pending deliveries, counted up to 100,000. Reported by the process that creates them; updated every 10 s.',
    registers: [this.registry],
  })
  readonly webhookOldestSeconds = new Gauge({
    name: 'flowfarm_webhook_oldest_waiting_seconds',
    help: 'Age of the oldest pending delivery, including those of paused endpoints; 0 if none.',
    registers: [this.registry],
  })
  readonly webhookPaused = new Gauge({
    name: 'flowfarm_webhook_paused_endpoints',
    help: 'Paused endpoints by reason: owner, failures, gone.',
    labelNames: ['reason'],
    registers: [this.registry],
  })

  readonly accessCalls = new Counter({
    name: 'flowfarm_access_calls_total',
    help: 'Calls to access nodes.',
    labelNames: ['method', 'code'],
    registers: [this.registry],
  })
  readonly accessSeconds = new Histogram({
    name: 'flowfarm_access_call_seconds',
    help: 'Duration of calls to access nodes.',
    labelNames: ['method'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    registers: [this.registry],
  })
  readonly accessBytes = new Counter({
    name: 'flowfarm_access_bytes_total',
    help: 'Response bytes from access nodes.',
    labelNames: ['method'],
    registers: [this.registry],
  })

  readonly httpRequests = new Histogram({
    name: 'flowfarm_http_request_seconds',
    help: 'Duration of API requests by route.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [this.registry],
  })
  readonly limitedRequests = new Counter({
    name: 'flowfarm_http_limited_total',
    help: 'Requests refused by a limit, by error code.',
    labelNames: ['code'],
    registers: [this.registry],
  })
  readonly feedClients = new Gauge({
    name: 'flowfarm_feed_clients',
    help: 'Open WebSocket connections.',
    labelNames: ['feed'],
    registers: [this.registry],
  })
  readonly feedMessages = new Counter({
    name: 'flowfarm_feed_messages_total',
    help: 'Messages sent to WebSocket connections.',
    labelNames: ['feed'],
    registers: [this.registry],
  })
  readonly feedDropped = new Counter({
    name: 'flowfarm_feed_dropped_clients_total',
    help: 'WebSocket connections closed because the client read too slowly.',
    registers: [this.registry],
  })
  readonly feedNoisy = new Counter({
    name: 'flowfarm_feed_noisy_clients_total',
    help: 'WebSocket connections closed because the client sent too much.',
    registers: [this.registry],
  })
  readonly feedFallenBehind = new Counter({
    name: 'flowfarm_feed_fallen_behind_total',
    help: 'Times that a slow subscriber of /ws was switched to catch-up at its own pace.',
    registers: [this.registry],
  })
  readonly feedCatchingUp = new Gauge({
    name: 'flowfarm_feed_catching_up_clients',
    help: 'Subscribers of /ws that are catching up.',
    registers: [this.registry],
  })
  readonly feedWaitingBlocks = new Gauge({
    name: 'flowfarm_feed_waiting_blocks',
    help: 'Announced blocks not yet sent to the clients of /ws.',
    registers: [this.registry],
  })
  readonly feedSendSeconds = new Histogram({
    name: 'flowfarm_feed_send_seconds',
    help: 'Time from reading new blocks until they were sent to all clients of /ws.',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [this.registry],
  })

  readonly mcpCallSeconds = new Histogram({
    name: 'flowfarm_mcp_call_seconds',
    help:
      'Duration of MCP tool calls by outcome: done, refused (invalid request), ' +
      'failed (internal, database, node or model error), disconnected (by the client).',
    labelNames: ['tool', 'outcome'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
    registers: [this.registry],
  })
  readonly mcpCallsRunning = new Gauge({
    name: 'flowfarm_mcp_running_calls',
    help: 'Running MCP tool calls.',
    labelNames: ['tool'],
    registers: [this.registry],
  })
  readonly mcpRefused = new Counter({
    name: 'flowfarm_mcp_refused_total',
    help:
      'Requests to the MCP server refused before the protocol, by error code: ' +
      'key-required, bad-key, rate-limited and others.',
    labelNames: ['reason'],
    registers: [this.registry],
  })

  readonly chatAnswers = new Counter({
    name: 'flowfarm_chat_answers_total',
    help:
      'Chat answers by outcome: complete, steps (step limit), length ' +
      '(cut off by the provider), refused (by the model), disconnected (by the client), timeout, ' +
      'failed, stopped (the service stopped).',
    labelNames: ['mode', 'end'],
    registers: [this.registry],
  })
  readonly chatRunning = new Gauge({
    name: 'flowfarm_chat_running_answers',
    help: 'Chat answers in progress.',
    registers: [this.registry],
  })
  readonly chatFirstToken = new Histogram({
    name: 'flowfarm_chat_first_token_seconds',
    help: 'Time from the start of an answer to the first text, reasoning or tool call of the model.',
    labelNames: ['mode'],
    buckets: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60],
    registers: [this.registry],
  })
  readonly chatTokens = new Counter({
    name: 'flowfarm_chat_tokens_total',
    help: 'Chat tokens as counted by the provider: input, output (including reasoning).',
    labelNames: ['kind'],
    registers: [this.registry],
  })
  readonly chatToolSeconds = new Histogram({
    name: 'flowfarm_chat_tool_seconds',
    help: 'Duration of tool calls of the chat by outcome: done, or failed (reported to the model).',
    labelNames: ['tool', 'outcome'],
    buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
    registers: [this.registry],
  })

  readonly walletAccounts = new Counter({
    name: 'flowfarm_wallet_accounts_total',
    help:
      'Requested accounts by outcome: sealed, failed, refused (not started: limit reached or ' +
      'no payer). Existing accounts are not counted.',
    labelNames: ['network', 'result'],
    registers: [this.registry],
  })
  readonly walletPayerBalance = new Gauge({
    name: 'flowfarm_wallet_payer_balance_flow',
    help: 'FLOW balance of the payer of new accounts. Read when it creates an account, and every 3 minutes.',
    labelNames: ['network'],
    registers: [this.registry],
  })
  readonly walletPasskeyEvents = new Counter({
    name: 'flowfarm_wallet_passkey_events_total',
    help: 'Passkey events by log event and outcome: done, refused.',
    labelNames: ['event', 'result'],
    registers: [this.registry],
  })
  readonly walletSignIns = new Counter({
    name: 'flowfarm_wallet_sign_ins_total',
    help:
      'Sessions started, by sign-in method: otp (e-mail), oauth, webauthn ' +
      '(passkey). Not counted if GOTRUE_URL is set.',
    labelNames: ['method'],
    registers: [this.registry],
  })
  readonly walletMails = new Counter({
    name: 'flowfarm_wallet_mails_total',
    help: 'E-mails sent, or failed after all retries (e-mails about changes are retried for a day).',
    labelNames: ['result'],
    registers: [this.registry],
  })

  #farmGauge(name: string, help: string): Gauge<'worker'> {
    return new Gauge({ name: `flowfarm_farm_${name}`, help, labelNames: ['worker'], registers: [this.registry] })
  }

  /** At most a second old: a busy process needs 20 ms for its 4,000 lines. */
  async recentText(): Promise<string> {
    if (this.#text === undefined) {
      this.#text = this.registry.metrics()
      setTimeout(() => (this.#text = undefined), 1000).unref()
    }
    return await this.#text
  }

  /** Once per process. */
  collectProcessMetrics(): void {
    // The default of 10 ms would wake an idle process 100 times a second.
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 50 })
  }
}
