import test from 'ava';
import { kafkaProperties } from '../../../stack/servers/kafka.ts';

test('the broker listens on this machine only and creates no topics automatically', (t) => {
  const lines = kafkaProperties(9092, 9093).split('\n');
  t.true(lines.includes('listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093'));
  t.true(lines.includes('auto.create.topics.enable=false'));
});

test('the properties contain no path, so the folder can have any character', (t) => {
  t.notRegex(kafkaProperties(9092, 9093), /=.*[^:/]\/[^/]/);
});
