type Headers = Readonly<Record<string, string>>;

/** Headers that a record passes to the records it causes: its `traceparent`, if it has one. */
export const traceOf = ({ traceparent }: Headers): Headers => (traceparent === undefined ? {} : { traceparent });
