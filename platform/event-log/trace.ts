type Headers = Readonly<Record<string, string>>;

/** What is handed on from a record to those that it leads to: its `traceparent`, where it has one. */
export const traceOf = ({ traceparent }: Headers): Headers => (traceparent === undefined ? {} : { traceparent });
