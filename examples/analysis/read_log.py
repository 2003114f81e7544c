"""Reads whole topics of the log: one JSON line for each record, by partition and offset.

Usage: read_log.py TOPIC ...
Environment: KAFKA_BROKERS, SCHEMA_REGISTRY_URL
It appends nothing and commits no offsets.
"""

import json
import os
import struct
import sys

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext

TIMEOUT_S = 30

registry = SchemaRegistryClient({"url": os.environ["SCHEMA_REGISTRY_URL"]})
deserialize = AvroDeserializer(registry)
consumer = Consumer(
    {
        "bootstrap.servers": os.environ["KAFKA_BROKERS"],
        "group.id": "analysis",
        "enable.auto.commit": False,
        "isolation.level": "read_committed",
    }
)


def name_of(value):
    """The full name of the record's schema, from the schema id before its bytes."""
    schema = json.loads(registry.get_schema(struct.unpack(">xI", value[:5])[0]).schema_str)
    return f"{schema['namespace']}.{schema['name']}"


def partition_records(topic, partition):
    """The records that exist now."""
    following, end = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=TIMEOUT_S)
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING)])
    while following < end:
        message = consumer.poll(TIMEOUT_S)
        if message is None:
            sys.exit(f"{topic}/{partition}: nothing came for {TIMEOUT_S} s")
        if message.error():
            sys.exit(f"{topic}/{partition}: {message.error()}")
        following = message.offset() + 1
        yield message


def topic_records(topic):
    """Every record of a topic, by partition and offset. Times are datetimes in UTC."""
    partitions = consumer.list_topics(topic, timeout=TIMEOUT_S).topics[topic].partitions
    for partition in sorted(partitions):
        for message in partition_records(topic, partition):
            context = SerializationContext(topic, MessageField.VALUE)
            yield {
                "topic": topic,
                "partition": partition,
                "offset": message.offset(),
                "append_time_ms": message.timestamp()[1],
                "key": message.key().decode(),
                "name": name_of(message.value()),
                "record": deserialize(message.value(), context),
            }


if __name__ == "__main__":
    try:
        for topic in sys.argv[1:]:
            for record in topic_records(topic):
                print(json.dumps(record, default=lambda time: time.isoformat()))
    finally:
        consumer.close()
